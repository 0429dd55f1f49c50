-- projector/to_dos/save: what is to be done after a page of the log and was not, or otherwise, before it
insert into to_dos_v1 (shard, process, due_at, id, step, platform)
select h.shard, x.process, x.due_at, x.id, x.step, x.platform
  from shard h,
       unnest($2::smallint[], $3::timestamptz[], $4::uuid[], $5::smallint[], $6::uuid[])
           x(process, due_at, id, step, platform)
 where h.shard = $1
    on conflict (shard, process, due_at, id) do update
   set step = excluded.step
