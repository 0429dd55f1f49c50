-- projector/daily/save: what a page of the log adds to days
insert into daily_v1 (shard, account, day, delta, entries, last_n)
select h.shard, x.account, x.day, x.delta, x.entries, x.last_n
  from shard h,
       unnest($2::uuid[], $3::integer[], $4::bigint[], $5::integer[], $6::integer[])
           x(account, day, delta, entries, last_n)
 where h.shard = $1
    on conflict (shard, account, day) do update
   set delta = daily_v1.delta + excluded.delta, entries = daily_v1.entries + excluded.entries,
       last_n = excluded.last_n
