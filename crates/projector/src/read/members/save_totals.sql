-- projector/members/save_totals: how much is in lists after a page of the log
insert into counters_v1 (shard, list, total)
select h.shard, x.list, x.total
  from shard h, unnest($2::uuid[], $3::bigint[]) x(list, total)
 where h.shard = $1
    on conflict (shard, list) do update
   set total = excluded.total
