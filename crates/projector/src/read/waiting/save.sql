-- projector/waiting/save: who waits for what after having been held back in a page of the log; freed already if what it
-- waits for came later in the same page
insert into waiting_v1 (shard, waits_for, id, platform, freed_at)
select h.shard, x.waits_for, x.id, x.platform, x.freed_at
  from shard h,
       unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[]) x(waits_for, id, platform, freed_at)
 where h.shard = $1
    on conflict (shard, waits_for, id) do update
   set freed_at = excluded.freed_at
