-- projector/holdings/transactions: a user's transactions that have not ended or have an open item, and the newest
-- transaction
select p.id
  from (select id from parties_v1 where shard = $1 and sender = $2
         union all
        select id from parties_v1 where shard = $1 and receiver = $2) p
 cross join lateral (
       select ended from transactions_v1 where shard = $1 and id = p.id limit 1) t
 where t.ended = ''
    or exists (select from open_items_v1 o where o.shard = $1 and o.transaction = p.id)
 union
(select newest.id
   from ((select id, sender_n as n
            from parties_v1
           where shard = $1 and sender = $2
           order by sender_n desc
           limit 1)
          union all
         (select id, receiver_n
            from parties_v1
           where shard = $1 and receiver = $2
           order by receiver_n desc
           limit 1)) newest
  order by newest.n desc
  limit 1)
