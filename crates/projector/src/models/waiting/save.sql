-- projector/waiting/save: writes the causes of transactions that were queued in a page of the log; the caller checks
-- the number of rows. A cause that was cleared later in the same page is marked already
insert into waiting_v1 (shard, waits_for, id, platform, freed_at)
select h.shard, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::timestamptz[])
  from shard h
 where h.shard = $1
    on conflict (shard, waits_for, id) do update
   set freed_at = excluded.freed_at
