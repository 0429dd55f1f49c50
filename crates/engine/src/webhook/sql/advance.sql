-- engine/webhook/advance: up to where events are in lanes now: the end of a commit
update cursor c
set position = $2, commit_no = $3
where c.shard = $1 and c.name = 'webhooks'
