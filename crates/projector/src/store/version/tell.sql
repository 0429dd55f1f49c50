-- projector/version/tell: which choice of versions a process acts on; a new process gets its id here. Those that were
-- silent for a day are forgotten.
  with silent as (
       delete from reader
        where shard = $1 and at < now() - interval '1 day')
insert into reader (shard, process, generation, at)
values ($1, coalesce($2::uuid, gen_random_uuid()), $3, now())
    on conflict (shard, process) do update
   set generation = excluded.generation, at = excluded.at
returning process
