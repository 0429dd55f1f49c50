-- log/read_keys: which of some keys were ever used; all slots, for another writer's clock may be a day ahead;
-- one probe of the index per key and slot, whatever the planner thinks of a table that was empty when it planned
select i.key, i.fingerprint, i.object, i.recorded_at
from unnest($2::bytea[]) as k (key)
cross join (values (0::smallint), (1::smallint), (2::smallint)) as d (day_slot)
cross join lateral (
    select i.*
    from idempotency i
    where i.shard = $1 and i.day_slot = d.day_slot and i.key = k.key
    limit 1
) i
