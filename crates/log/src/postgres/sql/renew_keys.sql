-- log/renew_keys: inserts the idempotency keys of one commit, as log/append_keys does, if some of them are in the
-- table. A key recorded at or before $7 is expired and is replaced. The caller checks the number of rows, which is too
-- small if a key is still valid
insert into idempotency (shard, day_slot, recorded_at, key, fingerprint, object)
select h.shard, $2::smallint, $3::timestamptz, unnest($4::bytea[]), unnest($5::bytea[]), unnest($6::uuid[])
from shard h
where h.shard = $1
on conflict (shard, day_slot, key) do update
set recorded_at = excluded.recorded_at, fingerprint = excluded.fingerprint, object = excluded.object
where idempotency.recorded_at <= $7
