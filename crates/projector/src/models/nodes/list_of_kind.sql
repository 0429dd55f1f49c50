-- projector/nodes/list_of_kind: page of a platform's active nodes of one type in order of creation, with their total
-- and the cursor in the same snapshot
select c.position,
       (select count(*) from nodes_v1 where shard = $1 and platform = $2 and kind = $3 and is_active) as total,
       p.id
  from cursor c
  left join lateral (
       select id, position
         from nodes_v1
        where shard = $1 and platform = $2 and kind = $3 and is_active
        order by position
       offset $4
        limit $5) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.position
