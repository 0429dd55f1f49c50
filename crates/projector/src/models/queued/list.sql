-- projector/queued/list: page of a platform's queued transactions in order of creation, with their total and the cursor
-- in the same snapshot
select c.position, (select count(*) from queued_v1 where shard = $1 and platform = $2) as total, p.id
  from cursor c
  left join lateral (
       select id, position
         from queued_v1
        where shard = $1 and platform = $2
        order by position
       offset $3
        limit $4) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.position
