-- engine/webhook/read_cursor: up to where events are in lanes
select c.position
from cursor c
where c.shard = $1 and c.name = 'webhooks'
