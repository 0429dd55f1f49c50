-- projector/members/list_in_status: a page of the transactions of a list that have a status, with their number and the
-- cursor of one moment
  with found as materialized (
       select m.n, m.member
         from members_v2 m
        cross join lateral (
              select status from transactions_v2 where shard = $1 and id = m.member limit 1) t
        where m.shard = $1 and m.list = $2 and m.kind = $3 and t.status = $6)
select c.position, (select count(*) from found) as total, p.member
  from cursor c
  left join lateral (select n, member from found order by n offset $4 limit $5) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.n
