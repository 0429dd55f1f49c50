-- log/raw_counts: counts and sizes of the events in a range of positions, by type, schema version and kind of stream
select e.type, e.schema_version, e.stream_kind, count(*) as events, sum(octet_length(e.data::text))::bigint as data_bytes,
       count(e.sealed) as boxes, coalesce(sum(octet_length(e.sealed)), 0)::bigint as box_bytes,
       min(e.recorded_at) as first_at, max(e.recorded_at) as last_at
from event e
where e.shard = $1 and e.position > $2 and e.position <= $3
group by e.type, e.schema_version, e.stream_kind
