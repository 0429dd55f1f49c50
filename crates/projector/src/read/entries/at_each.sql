-- projector/entries/at_each: the last entry of each account at or before the position beside it, or zeros
select coalesce(e.n, 0), coalesce(e.posted, 0)
  from unnest($2::uuid[], $3::bigint[]) with ordinality x(account, position, place)
  left join lateral (
       select n, posted
         from entries_v1
        where shard = $1 and account = x.account and position <= x.position
        order by position desc
        limit 1) e on true
 order by x.place
