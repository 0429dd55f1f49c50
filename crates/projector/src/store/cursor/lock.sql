-- projector/cursor/lock: how far the read models have come, once nobody else is at work
select position
  from cursor
 where shard = $1 and name = 'reads'
   for update
