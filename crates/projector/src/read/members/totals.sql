-- projector/members/totals: how much is in each of these lists
select list, total
  from counters_v1
 where shard = $1 and list = any($2)
