-- projector/transactions/list_open: page of a platform's transactions in a status that is not final, in order of
-- creation, with their total and the cursor in the same snapshot
  with open as materialized (
       select id, position
         from transactions_v2
        where shard = $1 and platform = $2 and ended = '' and status = $3)
select c.position, (select count(*) from open) as total, p.id
  from cursor c
  left join lateral (select id, position from open order by position offset $4 limit $5) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.position
