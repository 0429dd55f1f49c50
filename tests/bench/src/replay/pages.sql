-- bench/pages: the statement of log/read_events, as a baseline
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed
from event e
where e.shard = $1 and e.position > $2 and e.position <= $3
order by e.position
