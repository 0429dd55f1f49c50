-- log/append_events: the events of one commit, in order, after position $2
insert into event (shard, position, recorded_at, event_id, stream, stream_kind, version, type, schema_version,
                   effective_at, actor, cause_id, platform, data, sealed, sealed_hash)
select h.shard, $2::bigint + x.place, $3::timestamptz, x.event_id, x.stream, x.stream_kind, x.version, x.type,
       x.schema_version, x.effective_at, x.actor, x.cause_id, x.platform, x.data, x.sealed, x.sealed_hash
from shard h,
     unnest($4::uuid[], $5::uuid[], $6::smallint[], $7::integer[], $8::smallint[], $9::smallint[],
            $10::timestamptz[], $11::uuid[], $12::uuid[], $13::uuid[], $14::json[], $15::bytea[], $16::bytea[])
         with ordinality
         as x (event_id, stream, stream_kind, version, type, schema_version,
               effective_at, actor, cause_id, platform, data, sealed, sealed_hash, place)
where h.shard = $1
