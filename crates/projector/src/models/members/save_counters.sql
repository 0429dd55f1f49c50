-- projector/members/save_counters: writes the counters of lists as of the end of a page of the log; the caller checks
-- the number of rows
insert into counters_v3 (shard, list, kind, total, last)
select h.shard, unnest($2::uuid[]), unnest($3::smallint[]), unnest($4::bigint[]), unnest($5::bigint[])
  from shard h
 where h.shard = $1
    on conflict (shard, list, kind) do update
   set total = excluded.total, last = excluded.last
