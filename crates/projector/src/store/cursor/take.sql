-- projector/cursor/take: how far the read models have come, locked; nothing if another process is at work
select position
  from cursor
 where shard = $1 and name = 'reads'
   for update skip locked
