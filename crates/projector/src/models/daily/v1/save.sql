-- projector/daily/save: adds the entries of a page of the log to their days; the caller checks the number of rows
insert into daily_v1 (shard, account, day, delta, entries, last_n)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::integer[]),
       unnest($6::integer[])
  from shard h
 where h.shard = $1
    on conflict (shard, account, day) do update
   set delta = daily_v1.delta + excluded.delta, entries = daily_v1.entries + excluded.entries,
       last_n = excluded.last_n
