-- log/last/drop_parts: deletes the parts of a platform's deleted trees before position $3
delete from last_part p
where p.shard = $1 and p.platform = $2 and p.position < $3
  and not exists (
      select from last_tree t
      where t.shard = p.shard and t.platform = p.platform and t.position = p.position
  )
