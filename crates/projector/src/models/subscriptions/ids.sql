-- projector/subscriptions/ids: ids of all subscriptions
select id
  from subscriptions_v1
 where shard = $1
 order by id
