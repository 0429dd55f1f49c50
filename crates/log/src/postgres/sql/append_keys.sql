-- log/append_keys: the keys that one commit used up, none of which was ever used before
insert into idempotency (shard, day_slot, recorded_at, key, fingerprint, object)
select h.shard, $2::smallint, $3::timestamptz, unnest($4::bytea[]), unnest($5::bytea[]), unnest($6::uuid[])
from shard h
where h.shard = $1
