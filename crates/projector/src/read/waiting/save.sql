-- projector/waiting/save: what transactions wait for after a page of the log and did not before it
insert into waiting_v1 (shard, waits_for, id, platform, freed_at)
select h.shard, x.waits_for, x.id, x.platform, null
  from shard h, unnest($2::uuid[], $3::uuid[], $4::uuid[]) x(waits_for, id, platform)
 where h.shard = $1
    on conflict (shard, waits_for, id) do update
   set freed_at = null
