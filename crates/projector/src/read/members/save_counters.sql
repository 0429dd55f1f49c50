-- projector/members/save_counters: how much is in lists after a page of the log
insert into counters_v1 (shard, list, kind, total, last)
select h.shard, x.list, x.kind, x.total, x.last
  from shard h, unnest($2::uuid[], $3::smallint[], $4::bigint[], $5::bigint[]) x(list, kind, total, last)
 where h.shard = $1
    on conflict (shard, list, kind) do update
   set total = excluded.total, last = excluded.last
