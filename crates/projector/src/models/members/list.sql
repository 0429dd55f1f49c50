-- projector/members/list: page of the present members of a list, with their total and the cursor in the same snapshot.
-- The page begins after $4 present members and the absent members between them. The total of a list that no member can
-- leave is the number of its last member
select c.position,
       case when $3::smallint in (4, 5) then coalesce(t.total, 0)
            else coalesce((
                select n from members_v3 where shard = $1 and list = $2 and kind = $3 order by n desc limit 1), 0)
       end as total,
       p.member
  from cursor c
  left join counters_v3 t on t.shard = c.shard and t.list = $2 and t.kind = $3
  left join lateral (
       select n, member
         from members_v3
        where shard = $1 and list = $2 and kind = $3 and is_present
          and n > $4::bigint + (
              select count(*)
                from (select n - row_number() over (order by n) as present_before
                        from members_v3
                       where shard = $1 and list = $2 and kind = $3 and not is_present) absent
               where present_before <= $4::bigint)
        order by n
        limit $5) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.n
