-- engine/webhook/put: where a lane that was ours goes on, and when; unless it was set back meanwhile
update webhook_lane l
set version = $5, attempts = $6, due_at = $7
where l.shard = $1 and l.subscription = $2 and l.record = $3 and l.version = $4
