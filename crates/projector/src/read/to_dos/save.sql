-- to_dos.save: what is to be done after a page of the log and was not, or otherwise, before it.
insert into to_dos_v1 (shard, process, id, due_at, step)
select h.shard, x.process, x.id, x.due_at, x.step
  from shard h, unnest($2::smallint[], $3::uuid[], $4::timestamptz[], $5::smallint[]) x(process, id, due_at, step)
 where h.shard = $1
    on conflict (shard, process, id) do update
   set due_at = excluded.due_at, step = excluded.step
