-- projector/nodes/save: rows as they are after a page of the log
insert into nodes_v1 (shard, id, version, position, state, platform, user_id, kind, is_active)
select h.shard, x.id, x.version, x.position, x.state, x.platform, x.user_id, x.kind, x.is_active
  from shard h,
       unnest($2::uuid[], $3::integer[], $4::bigint[], $5::text[], $6::uuid[], $7::uuid[], $8::text[],
              $9::boolean[])
           x(id, version, position, state, platform, user_id, kind, is_active)
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state, is_active = excluded.is_active
