-- engine/webhook/keep_attempt: stores a delivery attempt with its outcome
insert into webhook_attempt (shard, subscription, id, position, event_id, attempt, outcome, status, took_ms, sealed)
select h.shard, $2::uuid, $3::uuid, $4::bigint, $5::uuid, $6::smallint, $7::text, $8::smallint, $9::integer, $10::bytea
from shard h
where h.shard = $1
