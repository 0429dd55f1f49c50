-- log/append_keys: inserts the idempotency keys of one commit, none of which is in the table; the caller checks the
-- number of rows. A key that is already in its slot violates the unique index
insert into idempotency (shard, day_slot, recorded_at, key, fingerprint, object)
select h.shard, $2::smallint, $3::timestamptz, unnest($4::bytea[]), unnest($5::bytea[]), unnest($6::uuid[])
from shard h
where h.shard = $1
