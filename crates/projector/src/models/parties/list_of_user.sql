-- projector/parties/list_of_user: page of the transactions in which a user sends or receives, with their total and the
-- cursor in the same snapshot. Both sides share one sequence of numbers without gaps, so the total is the last number
select c.position, coalesce(greatest(s.last, r.last), 0) as total, p.id
  from cursor c
  left join lateral (
       select sender_n as last from parties_v1 where shard = $1 and sender = $2 order by sender_n desc limit 1) s on true
  left join lateral (
       select receiver_n as last from parties_v1 where shard = $1 and receiver = $2 order by receiver_n desc limit 1) r on true
  left join lateral (
       select sender_n as n, id
         from parties_v1
        where shard = $1 and sender = $2 and sender_n > $3::bigint and sender_n <= $3::bigint + $4::bigint
        union all
       select receiver_n, id
         from parties_v1
        where shard = $1 and receiver = $2 and receiver_n > $3::bigint and receiver_n <= $3::bigint + $4::bigint) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.n
