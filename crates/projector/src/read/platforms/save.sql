-- projector/platforms/save: rows as they are after a page of the log
insert into platforms_v1 (shard, id, version, position, state, clock_ms)
select h.shard, x.id, x.version, x.position, x.state, x.clock_ms
  from shard h,
       unnest($2::uuid[], $3::integer[], $4::bigint[], $5::text[], $6::bigint[])
           x(id, version, position, state, clock_ms)
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state, clock_ms = excluded.clock_ms
