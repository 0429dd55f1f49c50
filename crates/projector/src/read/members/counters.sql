-- projector/members/counters: how much is in each of these lists, named by their places among them. Where nobody leaves,
-- that is the number of the last
select x.place, coalesce(c.total, m.n), coalesce(c.last, m.n)
  from unnest($2::uuid[], $3::smallint[]) with ordinality x(list, kind, place)
  left join lateral (
       select total, last from counters_v2 where shard = $1 and list = x.list and kind = x.kind limit 1) c on true
  left join lateral (
       select n
         from members_v2
        where shard = $1 and list = x.list and kind = x.kind and c.last is null
        order by n desc
        limit 1) m on true
 where coalesce(c.last, m.n) is not null
