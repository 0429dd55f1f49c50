-- engine/webhook/come_on: moves the backlog of a subscription to the position up to which its events are in lanes
update webhook_backlog b
set position = $3
where b.shard = $1 and b.subscription = $2
