-- projector/members/list_present: a page of those who have not left a list, with their total and the cursor of one
-- moment; a range as long as nobody has, else the index of those who are present, which the kinds named here let a
-- generic plan use
select c.position, coalesce(t.total, 0) as total, m.member
  from cursor c
  left join counters_v1 t on t.shard = c.shard and t.list = $2 and t.kind = $3
  left join lateral (
       (select n, member
          from members_v1
         where t.total = t.last
           and shard = $1 and list = $2 and kind = $3 and n > $4::bigint and n <= $4::bigint + $5::bigint)
       union all
       (select n, member
          from members_v1
         where t.total < t.last and shard = $1 and list = $2 and kind = $3 and is_present and kind in (4, 5)
         order by n
        offset $4
         limit $5)) m on true
 where c.shard = $1 and c.name = 'reads'
 order by m.n
