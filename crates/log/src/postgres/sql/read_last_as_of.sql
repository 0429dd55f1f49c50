-- log/read_last_as_of: last event of each stream at or before a position and in a range of versions. Without the range,
-- PostgreSQL would read all events of the stream after the position first
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data, e.sealed, s.place
from unnest($2::uuid[], $3::integer[], $4::integer[], $5::bigint[]) with ordinality as s (stream, after, last, position, place)
cross join lateral (
    select e.*
    from event e
    where e.shard = $1 and e.stream = s.stream and e.version > s.after and e.version <= s.last
      and e.position <= s.position
    order by e.version desc
    limit 1
) e
