-- projector/subscriptions/save: rows as they are after a page of the log
insert into subscriptions_v1 (shard, id, version, position, state)
select h.shard, x.id, x.version, x.position, x.state
  from shard h, unnest($2::uuid[], $3::integer[], $4::bigint[], $5::text[]) x(id, version, position, state)
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state
