-- projector/compare/node_sums: page of accounts with their platforms, each with the version after which the search for
-- its last entry up to position $3 begins
select b.account, n.platform, b.currency, coalesce(e.n, 1) - 1 as after
  from balances_v1 b
  join nodes_v1 n on n.shard = b.shard and n.id = b.node
  left join lateral (
       select n
         from entries_v1
        where shard = $1 and account = b.account and position <= $3
        order by position desc
        limit 1) e on true
 where b.shard = $1 and b.account > $2
 order by b.account
 limit $4
