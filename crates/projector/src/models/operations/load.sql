-- projector/operations/load: rows by id
select t.id, t.version, t.position, t.state
  from unnest($2::uuid[]) x(id)
 cross join lateral (
       select id, version, position, state from operations_v1 where shard = $1 and id = x.id limit 1) t
