-- projector/nodes/save: writes nodes as of the end of a page of the log; the caller checks the number of rows
insert into nodes_v1 (shard, id, version, position, state, platform, user_id, kind, is_active)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::text[]),
       unnest($6::uuid[]), unnest($7::uuid[]), unnest($8::text[]), unnest($9::boolean[])
  from shard h
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state, is_active = excluded.is_active
