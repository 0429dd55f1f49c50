-- log/read_of_platform: events of one platform, of streams of kinds $3, in a range of positions. PostgreSQL skips the
-- events of other platforms
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed
from event e
where e.shard = $1 and e.position > $4 and e.position <= $5
  and e.platform = $2 and e.stream_kind = any ($3::smallint[])
order by e.position
limit $6
