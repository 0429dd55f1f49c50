-- log/list_keys: next page of the idempotency keys of a slot, in order of keys
select i.key, i.recorded_at
from idempotency i
where i.shard = $1 and i.day_slot = $2 and i.key > $3
order by i.key
limit $4
