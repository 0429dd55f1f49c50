-- log/last/advance: moves the cursor of the trees of last entries to the end of a commit. The caller holds the lock of
-- log/last/lock
update cursor c
set position = $2, commit_no = $3, at = $4
where c.shard = $1 and c.name = 'last_entries'
