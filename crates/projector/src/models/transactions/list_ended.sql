-- projector/transactions/list_ended: a page of a platform's transactions that ended so, in the order of creation, with
-- their number and the cursor of one moment
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
