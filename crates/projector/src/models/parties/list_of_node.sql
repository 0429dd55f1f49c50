-- projector/parties/list_of_node: page of the transactions in which a node sends or receives, with their total and the
-- cursor in the same snapshot. Both sides share one sequence of numbers without gaps, so the total is the last number
select c.position, coalesce(greatest(s.last, r.last), 0) as total, p.id
  from cursor c
  left join lateral (
       select from_n as last from parties_v1 where shard = $1 and from_node = $2 order by from_n desc limit 1) s on true
  left join lateral (
       select to_n as last from parties_v1 where shard = $1 and to_node = $2 order by to_n desc limit 1) r on true
  left join lateral (
       select from_n as n, id
         from parties_v1
        where shard = $1 and from_node = $2 and from_n > $3::bigint and from_n <= $3::bigint + $4::bigint
        union all
       select to_n, id
         from parties_v1
        where shard = $1 and to_node = $2 and to_n > $3::bigint and to_n <= $3::bigint + $4::bigint) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.n
