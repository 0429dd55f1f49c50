-- projector/version/tell: reports the generation that a process uses, and returns the id of the process. A new process
-- gets its id here
insert into reader (shard, process, generation, at, knows_shards)
values ($1, coalesce($2::uuid, gen_random_uuid()), $3, now(), true)
    on conflict (shard, process) do update
   set generation = excluded.generation, at = excluded.at
returning process
