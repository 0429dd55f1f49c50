-- projector/breaks/save: writes breaks as of the end of a page of the log; the caller checks the number of rows
insert into breaks_v1 (shard, id, version, position, state, platform, is_open)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::text[]),
       unnest($6::uuid[]), unnest($7::boolean[])
  from shard h
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state, is_open = excluded.is_open
