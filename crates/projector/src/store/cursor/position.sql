-- projector/cursor/position: how far the read models have come
select position
  from cursor
 where shard = $1 and name = 'reads'
