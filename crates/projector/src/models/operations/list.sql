-- projector/operations/list: page of a platform's operations in order of creation, only those that wait for approval if
-- $3 is true, with their total and the cursor in the same snapshot
  with asked as materialized (
       select id, position
         from operations_v1
        where shard = $1 and platform = $2 and (is_waiting or not $3::boolean))
select c.position, (select count(*) from asked) as total, p.id
  from cursor c
  left join lateral (select id, position from asked order by position offset $4 limit $5) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.position
