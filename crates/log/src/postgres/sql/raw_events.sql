-- log/raw_events: a range of positions, every column; without any box unless $4
select e.position, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version, e.recorded_at,
       e.effective_at, e.actor, e.cause_id, e.correlation_id, e.platform, e.data,
       case when $4::boolean then e.sealed end as sealed, e.sealed_hash
from event e
where e.shard = $1 and e.position > $2 and e.position <= $3
order by e.position
