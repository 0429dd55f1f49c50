-- projector/to_dos/save: writes to-dos that a page of the log added or changed; the caller checks the number of rows
insert into to_dos_v1 (shard, process, due_at, id, step, platform)
select h.shard, unnest($2::smallint[]), unnest($3::timestamptz[]), unnest($4::uuid[]), unnest($5::smallint[]),
       unnest($6::uuid[])
  from shard h
 where h.shard = $1
    on conflict (shard, process, due_at, id) do update
   set step = excluded.step
