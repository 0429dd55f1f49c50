-- projector/record/load: records by id; the caller replaces the table name by that of the read model
select t.id, t.version, t.position, t.state
  from unnest($2::uuid[]) x(id)
 cross join lateral (
       select id, version, position, state from records_v1 where shard = $1 and id = x.id limit 1) t
