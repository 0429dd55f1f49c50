-- projector/transactions/load: rows by id
select t.id, t.version, t.position, t.state
  from unnest($2::uuid[]) x(id)
  join transactions_v1 t on t.shard = $1 and t.id = x.id
