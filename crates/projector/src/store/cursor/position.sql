-- projector/cursor/position: position of the read models
select position
  from cursor
 where shard = $1 and name = 'reads'
