-- projector/record/save: rows as they are after a page of the log; the table has the name of its read model
insert into records_v1 (shard, id, version, position, state)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::text[])
  from shard h
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state
