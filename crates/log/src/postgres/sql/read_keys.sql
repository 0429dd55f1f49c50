-- log/read_keys: stored rows of idempotency keys, in any slot, because the clock of another writer may be a day ahead.
-- The lateral join with limit 1 makes the planner probe the index once per key and slot, even if the table was empty
-- when the statement was planned
select i.key, i.fingerprint, i.object, i.recorded_at
from unnest($2::bytea[]) as k (key)
cross join (values (0::smallint), (1::smallint), (2::smallint)) as d (day_slot)
cross join lateral (
    select i.*
    from idempotency i
    where i.shard = $1 and i.day_slot = d.day_slot and i.key = k.key
    limit 1
) i
