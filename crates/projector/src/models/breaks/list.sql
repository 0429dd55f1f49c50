-- projector/breaks/list: page of a platform's lines in suspense, the oldest first, with their total and the cursor in the
-- same snapshot
  with open as materialized (
       select id, position from breaks_v1 where shard = $1 and platform = $2 and is_open)
select c.position, (select count(*) from open) as total, p.id
  from cursor c
  left join lateral (select id, position from open order by position offset $3 limit $4) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.position
