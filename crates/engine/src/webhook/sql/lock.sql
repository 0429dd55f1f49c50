-- engine/webhook/lock: up to where events are in lanes; nothing if another process is about to put more there
select c.position
from cursor c
where c.shard = $1 and c.name = 'webhooks'
for update skip locked
