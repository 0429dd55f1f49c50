-- log/list_keys: a page of the keys of a slot, in order
select i.key, i.recorded_at
from idempotency i
where i.shard = $1 and i.day_slot = $2 and i.key > $3
order by i.key
limit $4
