-- log/keep_signing_key: registers a signing key, at least 1 ms later than all others, so that the keys are ordered by
-- time. A registered key stays unchanged
insert into signing_key (shard, key_id, name, public_key, since)
select h.shard, $2::bytea, $3::text, $4::text,
       greatest($5::timestamptz, (select max(k.since) + interval '1 millisecond' from signing_key k where k.shard = $1))
from shard h
where h.shard = $1
on conflict (shard, key_id) do nothing
