-- projector/holdings/transactions: those of a user that are under way or that no statement has explained, and its newest
select t.id
  from members_v1 m
  join transactions_v1 t on t.shard = m.shard and t.id = m.member
 where m.shard = $1 and m.list = $2 and m.kind = $3
   and (t.ended = ''
        or exists (select from open_items_v1 o where o.shard = t.shard and o.transaction = t.id))
 union
(select m.member
   from members_v1 m
  where m.shard = $1 and m.list = $2 and m.kind = $3
  order by m.n desc
  limit 1)
