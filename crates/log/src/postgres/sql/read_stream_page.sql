-- log/read_stream_page: events of one stream in a range of versions. The upper bound replaces a limit, because versions
-- have no gaps
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed
from event e
where e.shard = $1 and e.stream = $2 and e.version > $3 and e.version <= $4
order by e.version
