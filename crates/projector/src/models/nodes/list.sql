-- projector/nodes/list: page of a user's active nodes in order of creation, of one type if $3 is given, with their
-- total and the cursor in the same snapshot
  with owned as materialized (
       select id, position
         from nodes_v1
        where shard = $1 and user_id = $2 and is_active and ($3::text is null or kind = $3))
select c.position, (select count(*) from owned) as total, p.id
  from cursor c
  left join lateral (select id, position from owned order by position offset $4 limit $5) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.position
