-- projector/daily/save: moves the entries of a page of the log that are effective on another day; the caller checks the
-- number of rows
insert into daily_v2 (shard, account, day, moved, moved_entries, last_n)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::integer[]),
       unnest($6::integer[])
  from shard h
 where h.shard = $1
    on conflict (shard, account, day) do update
   set moved = daily_v2.moved + excluded.moved, moved_entries = daily_v2.moved_entries + excluded.moved_entries,
       last_n = greatest(daily_v2.last_n, excluded.last_n)
