-- log/last/drop_parts: parts of trees but for the newest one and the newest that is attested
delete from last_part p
where p.shard = $1 and p.platform = $2 and p.position < $3
  and p.position is distinct from (
      select max(t.position)
      from last_tree t
      where t.shard = $1 and t.platform = $2 and t.attested is not null
  )
