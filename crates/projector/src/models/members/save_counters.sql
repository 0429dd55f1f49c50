-- projector/members/save_counters: how much is in lists after a page of the log
insert into counters_v3 (shard, list, kind, total, last)
select h.shard, unnest($2::uuid[]), unnest($3::smallint[]), unnest($4::bigint[]), unnest($5::bigint[])
  from shard h
 where h.shard = $1
    on conflict (shard, list, kind) do update
   set total = excluded.total, last = excluded.last
