-- log/last/forget_cursor: deletes the cursor of the trees of last entries
delete from cursor c where c.shard = $1 and c.name = 'last_entries'
