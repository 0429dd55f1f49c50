-- projector/open_items/count: number of open items of a platform
select count(*)
  from open_items_v1
 where shard = $1 and platform = $2
