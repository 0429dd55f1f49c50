-- engine/webhook/advance: moves the webhook cursor to the end of a commit, up to which all events are in lanes or
-- behind a backlog. The caller holds the lock of engine/webhook/lock
update cursor c
set position = $2, commit_no = $3
where c.shard = $1 and c.name = 'webhooks'
