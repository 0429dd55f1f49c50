-- log/last/lock: how far they have grown; nothing if somebody else is growing them, or did so since $2
select c.position
from cursor c
where c.shard = $1 and c.name = 'last_entries' and (c.at is null or c.at <= $2)
for update skip locked
