-- log/append_keys: the keys that one commit used up, none of which was ever used before
insert into idempotency (shard, day_slot, recorded_at, key, fingerprint, object)
select h.shard, $2::smallint, $3::timestamptz, x.key, x.fingerprint, x.object
from shard h, unnest($4::bytea[], $5::bytea[], $6::uuid[]) as x (key, fingerprint, object)
where h.shard = $1
