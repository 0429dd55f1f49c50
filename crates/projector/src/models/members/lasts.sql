-- projector/members/lasts: the same of lists that nobody leaves: as much as the number of the last; one probe of the index
-- for each
select x.place, m.n as total, m.n as last
  from unnest($2::uuid[], $3::smallint[]) with ordinality x(list, kind, place)
 cross join lateral (
       select n
         from members_v3
        where shard = $1 and list = x.list and kind = x.kind
        order by n desc
        limit 1) m
