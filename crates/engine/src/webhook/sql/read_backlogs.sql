-- engine/webhook/read_backlogs: subscriptions that are behind, those farthest behind first
select b.subscription, b.position
from webhook_backlog b
where b.shard = $1
order by b.position, b.subscription
