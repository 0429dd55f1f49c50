-- projector/operations/save: rows as they are after a page of the log
insert into operations_v1 (shard, id, version, position, state, platform, is_waiting)
select h.shard, x.id, x.version, x.position, x.state, x.platform, x.is_waiting
  from shard h,
       unnest($2::uuid[], $3::integer[], $4::bigint[], $5::text[], $6::uuid[], $7::boolean[])
           x(id, version, position, state, platform, is_waiting)
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state, is_waiting = excluded.is_waiting
