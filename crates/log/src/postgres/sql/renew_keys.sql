-- log/renew_keys: the same where one of them was used before; one that no longer counts ($7) may be used again
insert into idempotency (shard, day_slot, recorded_at, key, fingerprint, object)
select h.shard, $2::smallint, $3::timestamptz, x.key, x.fingerprint, x.object
from shard h, unnest($4::bytea[], $5::bytea[], $6::uuid[]) as x (key, fingerprint, object)
where h.shard = $1
on conflict (shard, day_slot, key) do update
set recorded_at = excluded.recorded_at, fingerprint = excluded.fingerprint, object = excluded.object
where idempotency.recorded_at <= $7
