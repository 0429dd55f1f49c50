-- projector/members/lasts: counters of lists that no member can leave, as projector/members/counters returns them: the
-- total equals the number of the last member. One index probe per list
select x.place, m.n as total, m.n as last
  from unnest($2::uuid[], $3::smallint[]) with ordinality x(list, kind, place)
 cross join lateral (
       select n
         from members_v3
        where shard = $1 and list = x.list and kind = x.kind
        order by n desc
        limit 1) m
