-- log/read_keys: which of some keys were used after a moment; all slots, for another writer's clock may be a day ahead
select i.key, i.fingerprint, i.object, i.recorded_at
from idempotency i
where i.shard = $1 and i.day_slot in (0, 1, 2) and i.key = any ($2::bytea[]) and i.recorded_at > $3
