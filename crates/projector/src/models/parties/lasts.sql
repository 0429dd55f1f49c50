-- projector/parties/lasts: last number of each list, with the place of the list in the arguments. One probe of each
-- index that can contain the list
select x.place, l.n
  from unnest($2::uuid[], $3::smallint[]) with ordinality x(list, kind, place)
 cross join lateral (
       select max(m.n) as n
         from ((select platform_n as n
                  from parties_v1
                 where x.kind = 3 and shard = $1 and platform = x.list
                 order by platform_n desc
                 limit 1)
               union all
               (select sender_n
                  from parties_v1
                 where x.kind = 1 and shard = $1 and sender = x.list
                 order by sender_n desc
                 limit 1)
               union all
               (select receiver_n
                  from parties_v1
                 where x.kind = 1 and shard = $1 and receiver = x.list
                 order by receiver_n desc
                 limit 1)
               union all
               (select from_n
                  from parties_v1
                 where x.kind = 2 and shard = $1 and from_node = x.list
                 order by from_n desc
                 limit 1)
               union all
               (select to_n
                  from parties_v1
                 where x.kind = 2 and shard = $1 and to_node = x.list
                 order by to_n desc
                 limit 1)) m) l
 where l.n is not null
