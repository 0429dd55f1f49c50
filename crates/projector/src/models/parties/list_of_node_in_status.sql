-- projector/parties/list_of_node_in_status: page of a node's transactions in one status, with their total and the
-- cursor in the same snapshot
  with found as materialized (
       select p.n, p.id
         from (select from_n as n, id from parties_v1 where shard = $1 and from_node = $2
                union all
               select to_n, id from parties_v1 where shard = $1 and to_node = $2) p
        cross join lateral (
              select status from transactions_v2 where shard = $1 and id = p.id limit 1) t
        where t.status = $5)
select c.position, (select count(*) from found) as total, p.id
  from cursor c
  left join lateral (select n, id from found order by n offset $3 limit $4) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.n
