-- log/read_streams: events of streams, each after a version. The inner order makes the planner use the index of streams
-- and versions
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed
from unnest($2::uuid[], $3::integer[]) as s (stream, version)
cross join lateral (
    select e.*
    from event e
    where e.shard = $1 and e.stream = s.stream and e.version > s.version
    order by e.version
) e
order by e.stream, e.version
