-- projector/version/tell: the choice of versions that a process acts on; a new process gets its id here
insert into reader (shard, process, generation, at)
values ($1, coalesce($2::uuid, gen_random_uuid()), $3, now())
    on conflict (shard, process) do update
   set generation = excluded.generation, at = excluded.at
returning process
