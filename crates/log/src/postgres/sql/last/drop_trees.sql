-- log/last/drop_trees: deletes a platform's trees before position $3, except the newest attested tree
delete from last_tree o
where o.shard = $1 and o.platform = $2 and o.position < $3
  and o.position is distinct from (
      select max(t.position)
      from last_tree t
      where t.shard = $1 and t.platform = $2 and t.attested is not null
  )
