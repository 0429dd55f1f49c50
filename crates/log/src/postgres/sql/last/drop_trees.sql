-- log/last/drop_trees: trees but for the newest one and the newest that is attested
delete from last_tree o
where o.shard = $1 and o.platform = $2 and o.position < $3
  and o.position is distinct from (
      select max(t.position)
      from last_tree t
      where t.shard = $1 and t.platform = $2 and t.attested is not null
  )
