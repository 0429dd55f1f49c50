-- projector/record/save: writes records as of the end of a page of the log; the caller replaces the table name by that
-- of the read model and checks the number of rows
insert into records_v1 (shard, id, version, position, state)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::text[])
  from shard h
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state
