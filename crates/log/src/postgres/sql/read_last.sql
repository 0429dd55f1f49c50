-- log/read_last: last event of each stream
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed
from unnest($2::uuid[]) as s (stream)
cross join lateral (
    select e.*
    from event e
    where e.shard = $1 and e.stream = s.stream
    order by e.version desc
    limit 1
) e
order by e.stream
