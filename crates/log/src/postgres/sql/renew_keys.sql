-- log/renew_keys: the same where one of them was used before; one that no longer counts ($7) may be used again
insert into idempotency (shard, day_slot, recorded_at, key, fingerprint, object)
select h.shard, $2::smallint, $3::timestamptz, unnest($4::bytea[]), unnest($5::bytea[]), unnest($6::uuid[])
from shard h
where h.shard = $1
on conflict (shard, day_slot, key) do update
set recorded_at = excluded.recorded_at, fingerprint = excluded.fingerprint, object = excluded.object
where idempotency.recorded_at <= $7
