-- projector/version/save: writes a version with the next generation
insert into projection (shard, name, version, fold, stage, position, compared_at, differences, is_scratch, generation)
select h.shard, $2, $3, $4, $5, $6, $7, $8, $9,
       (select coalesce(max(generation), 0) + 1 from projection where shard = $1)
  from shard h
 where h.shard = $1
    on conflict (shard, name, version) do update
   set fold = excluded.fold, stage = excluded.stage, position = excluded.position, compared_at = excluded.compared_at,
       differences = excluded.differences, generation = excluded.generation
