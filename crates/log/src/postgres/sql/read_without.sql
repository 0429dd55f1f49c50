-- log/read_without: a range of positions without the events of streams of kinds $5, and without all but the first of
-- streams of kinds $6; its last always comes: how many rows there are in all stands beside it, so a hole between those
-- that were left out is noticed as well. Without the boxes of kinds $4
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data,
       case when e.stream_kind = any ($4::smallint[]) then null else e.sealed end as sealed,
       case when e.position = $3 then (
            select count(x.event_id)  -- of the rows themselves: an index alone could tell of one that is gone
              from event x
             where x.shard = $1 and x.position > $2 and x.position <= $3) end as there
  from event e
 where e.shard = $1 and e.position > $2 and e.position <= $3
   and (e.stream_kind <> all ($5::smallint[]) and (e.version = 1 or e.stream_kind <> all ($6::smallint[]))
        or e.position = $3)
 order by e.position
