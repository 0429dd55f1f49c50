-- projector/cursor/lock: locks the cursor of the read models and returns its position; waits for the process that holds
-- the lock
select position
  from cursor
 where shard = $1 and name = 'reads'
   for update
