-- projector/subscriptions/ids: every subscription
select id
  from subscriptions_v1
 where shard = $1
 order by id
