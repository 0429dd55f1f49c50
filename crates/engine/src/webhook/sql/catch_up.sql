-- engine/webhook/catch_up: deletes the backlog of a subscription that has caught up
delete from webhook_backlog b
where b.shard = $1 and b.subscription = $2
