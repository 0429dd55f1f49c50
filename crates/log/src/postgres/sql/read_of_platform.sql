-- log/read_of_platform: what belongs to one platform in a range of positions; the events of others are passed over here
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed
from event e
where e.shard = $1 and e.position > $4 and e.position <= $5
  and e.platform = $2 and e.stream_kind = any ($3::smallint[])
order by e.position
limit $6
