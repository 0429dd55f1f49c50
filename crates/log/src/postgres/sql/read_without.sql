-- log/read_without: events in a range of positions without those of streams of kinds $5, and with only the first event
-- of each stream of kinds $6; without the boxes of kinds $4. The last event of the range always comes, with the number
-- of rows in the range: the caller compares it with the length of the range and so detects missing events, also among
-- those left out
select e.position, e.recorded_at, e.event_id, e.stream, e.stream_kind, e.version, e.type, e.schema_version,
       e.effective_at, e.actor, e.cause_id, e.platform, e.data,
       case when e.stream_kind = any ($4::smallint[]) then null else e.sealed end as sealed,
       case when e.position = $3 then (
            select count(x.event_id)  -- counts rows of the table: an index-only scan could count a row that is lost
              from event x
             where x.shard = $1 and x.position > $2 and x.position <= $3) end as there
  from event e
 where e.shard = $1 and e.position > $2 and e.position <= $3
   and (e.stream_kind <> all ($5::smallint[]) and (e.version = 1 or e.stream_kind <> all ($6::smallint[]))
        or e.position = $3)
 order by e.position
