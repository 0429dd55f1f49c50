-- projector/platforms/save: writes platforms as of the end of a page of the log; the caller checks the number of rows
insert into platforms_v1 (shard, id, version, position, state, clock_ms)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::text[]),
       unnest($6::bigint[])
  from shard h
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state, clock_ms = excluded.clock_ms
