-- projector/entries/at_each: version after which the search for an account's last entry at or before a position begins,
-- for each account, with the cursor in the same snapshot
select c.position, coalesce(e.n, 1) - 1 as after
  from cursor c
 cross join unnest($2::uuid[], $3::bigint[]) with ordinality x(account, position, place)
  left join lateral (
       select n
         from entries_v2
        where shard = $1 and account = x.account and position <= x.position
        order by position desc
        limit 1) e on true
 where c.shard = $1 and c.name = 'reads'
 order by x.place
