-- engine/webhook/read_backlogs: subscriptions that are behind
select b.subscription, b.position
from webhook_backlog b
where b.shard = $1
