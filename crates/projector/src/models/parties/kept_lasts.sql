-- projector/parties/kept_lasts: last numbers of lists while the parties have no index, as projector/parties/lasts
-- returns them
select x.place, l.last as n
  from unnest($2::uuid[], $3::smallint[]) with ordinality x(list, kind, place)
 cross join lateral (
       select last from lasts_v1 where shard = $1 and list = x.list and kind = x.kind limit 1) l
