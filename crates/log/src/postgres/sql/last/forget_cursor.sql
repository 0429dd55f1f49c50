-- log/last/forget_cursor: how far they have grown
delete from cursor c where c.shard = $1 and c.name = 'last_entries'
