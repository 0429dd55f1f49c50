-- projector/compare/node_sums: a page of accounts with their platforms, and what was posted to each up to a position
select b.account, n.platform, b.currency, e.posted
  from balances_v1 b
  join nodes_v1 n on n.shard = b.shard and n.id = b.node
 cross join lateral (
       select posted
         from entries_v1
        where shard = b.shard and account = b.account and position <= $3
        order by position desc
        limit 1) e
 where b.shard = $1 and b.account > $2
 order by b.account
 limit $4
