-- projector/members/list: a page of a list that nobody leaves, with its total and the cursor of one moment
select c.position, coalesce(t.total, 0) as total, m.member
  from cursor c
  left join counters_v1 t on t.shard = c.shard and t.list = $2 and t.kind = $3
  left join members_v1 m
    on m.shard = c.shard and m.list = $2 and m.kind = $3 and m.n > $4::bigint and m.n <= $4::bigint + $5::bigint
 where c.shard = $1 and c.name = 'reads'
 order by m.n
