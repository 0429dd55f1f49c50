-- log/append_events: inserts the events of one commit in order, after position $2; the caller checks the number of
-- rows. The arrays are unnested in the select list: in the from clause, PostgreSQL would first materialize each array
-- completely
insert into event (shard, position, recorded_at, event_id, stream, stream_kind, version, type, schema_version,
                   effective_at, actor, cause_id, platform, data, sealed, sealed_hash)
select h.shard, $2::bigint + generate_subscripts($4::uuid[], 1), $3::timestamptz, unnest($4::uuid[]),
       unnest($5::uuid[]), unnest($6::smallint[]), unnest($7::integer[]), unnest($8::smallint[]),
       unnest($9::smallint[]), unnest($10::timestamptz[]), unnest($11::uuid[]), unnest($12::uuid[]),
       unnest($13::uuid[]), unnest($14::json[]), unnest($15::bytea[]), unnest($16::bytea[])
from shard h
where h.shard = $1
