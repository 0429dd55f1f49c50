-- projector/cursor/take: locks the cursor of the read models and returns its position; no row if another process holds
-- the lock
select position
  from cursor
 where shard = $1 and name = 'reads'
   for update skip locked
