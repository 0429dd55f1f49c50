-- engine/webhook/read_backlogs: backlogs of all subscriptions
select b.subscription, b.position
from webhook_backlog b
where b.shard = $1
