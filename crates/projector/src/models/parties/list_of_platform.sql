-- projector/parties/list_of_platform: page of a platform's transactions, with their total and the cursor in the same
-- snapshot. The numbers have no gaps, so the total is the last number
select c.position, coalesce(t.total, 0) as total, p.id
  from cursor c
  left join lateral (
       select platform_n as total
         from parties_v1
        where shard = $1 and platform = $2
        order by platform_n desc
        limit 1) t on true
  left join lateral (
       select platform_n as n, id
         from parties_v1
        where shard = $1 and platform = $2 and platform_n > $3::bigint and platform_n <= $3::bigint + $4::bigint) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.n
