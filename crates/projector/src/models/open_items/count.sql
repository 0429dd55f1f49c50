-- projector/open_items/count: how many open items a platform has
select count(*)
  from open_items_v1
 where shard = $1 and platform = $2
