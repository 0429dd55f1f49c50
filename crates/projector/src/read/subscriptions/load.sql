-- projector/subscriptions/load: rows by id
select id, version, position, state
  from subscriptions_v1
 where shard = $1 and id = any($2)
