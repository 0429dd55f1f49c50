-- projector/parties/keep_lasts: writes the last numbers of lists as of the end of a page of the log; the caller checks
-- the number of rows
insert into lasts_v1 (shard, list, kind, last)
select h.shard, unnest($2::uuid[]), unnest($3::smallint[]), unnest($4::bigint[])
  from shard h
 where h.shard = $1
    on conflict (shard, list, kind) do update
   set last = excluded.last
