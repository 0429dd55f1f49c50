-- engine/webhook/lock: locks the webhook cursor and returns its position; no row if another process holds the lock
select c.position
from cursor c
where c.shard = $1 and c.name = 'webhooks'
for update skip locked
