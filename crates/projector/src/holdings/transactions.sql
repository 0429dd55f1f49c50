-- projector/holdings/transactions: those of a user that are under way or that no statement has explained, and its newest
select m.member
  from members_v1 m
 cross join lateral (
       select ended from transactions_v2 where shard = $1 and id = m.member limit 1) t
 where m.shard = $1 and m.list = $2 and m.kind = $3
   and (t.ended = ''
        or exists (select from open_items_v1 o where o.shard = $1 and o.transaction = m.member))
 union
(select m.member
   from members_v1 m
  where m.shard = $1 and m.list = $2 and m.kind = $3
  order by m.n desc
  limit 1)
