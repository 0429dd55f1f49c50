-- projector/waiting/save: who waits for what after having been held back in a page of the log; freed already if what it
-- waits for came later in the same page
insert into waiting_v1 (shard, waits_for, id, platform, freed_at)
select h.shard, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::timestamptz[])
  from shard h
 where h.shard = $1
    on conflict (shard, waits_for, id) do update
   set freed_at = excluded.freed_at
