-- log/raw_events: events in a range of positions with all columns, unchecked; boxes only if $4 is true
select e.position, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version, e.recorded_at,
       e.effective_at, e.actor, e.cause_id, e.correlation_id, e.platform, e.data,
       case when $4::boolean then e.sealed end as sealed, e.sealed_hash
from event e
where e.shard = $1 and e.position > $2 and e.position <= $3
order by e.position
