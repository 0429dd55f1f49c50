-- projector/members/counters: stored counters of lists, each with the place of its list in the arguments
select x.place, c.total, c.last
  from unnest($2::uuid[], $3::smallint[]) with ordinality x(list, kind, place)
  join counters_v3 c on c.shard = $1 and c.list = x.list and c.kind = x.kind
