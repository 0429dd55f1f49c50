-- engine/webhook/come_on: up to where a subscription's events are in lanes now
update webhook_backlog b
set position = $3
where b.shard = $1 and b.subscription = $2
