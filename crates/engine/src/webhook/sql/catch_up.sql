-- engine/webhook/catch_up: a subscription that is behind no longer
delete from webhook_backlog b
where b.shard = $1 and b.subscription = $2
