-- log/last/advance: how far they have grown now: up to the end of a commit
update cursor c
set position = $2, commit_no = $3, at = $4
where c.shard = $1 and c.name = 'last_entries'
