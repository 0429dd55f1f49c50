-- projector/transactions/list_ended: page of a platform's transactions in a final status, in order of creation, with
-- their total and the cursor in the same snapshot
select c.position,
       (select count(*) from transactions_v2 where shard = $1 and platform = $2 and ended = $3) as total,
       p.id
  from cursor c
  left join lateral (
       select id, position
         from transactions_v2
        where shard = $1 and platform = $2 and ended = $3
        order by position
       offset $4
        limit $5) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.position
