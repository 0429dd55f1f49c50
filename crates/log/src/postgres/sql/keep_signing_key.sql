-- log/keep_signing_key: a key that is about to sign; later than every one before it, so that they have an order
insert into signing_key (shard, key_id, name, public_key, since)
select h.shard, $2::bytea, $3::text, $4::text,
       greatest($5::timestamptz, (select max(k.since) + interval '1 millisecond' from signing_key k where k.shard = $1))
from shard h
where h.shard = $1
on conflict (shard, key_id) do nothing
