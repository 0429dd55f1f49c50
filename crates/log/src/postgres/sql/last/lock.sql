-- log/last/lock: locks the cursor of the trees of last entries and returns its position. No row if another process
-- holds the lock, or if the cursor is at a commit recorded after $2
select c.position
from cursor c
where c.shard = $1 and c.name = 'last_entries' and (c.at is null or c.at <= $2)
for update skip locked
