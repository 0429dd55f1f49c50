-- log/read_events: events in a range of positions, without the boxes of streams of kinds $4. The upper bound replaces a
-- limit, because positions have no gaps. PostgreSQL does not fetch an omitted box from the TOAST table
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data,
       case when e.stream_kind = any ($4::smallint[]) then null else e.sealed end as sealed
from event e
where e.shard = $1 and e.position > $2 and e.position <= $3
order by e.position
