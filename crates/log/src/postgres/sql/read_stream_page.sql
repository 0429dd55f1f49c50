-- log/read_stream_page: a range of versions of one stream, bounded above because versions have no holes
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed
from event e
where e.shard = $1 and e.stream = $2 and e.version > $3 and e.version <= $4
order by e.version
