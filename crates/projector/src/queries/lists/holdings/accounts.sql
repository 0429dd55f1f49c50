-- projector/holdings/accounts: accounts of a user's nodes. Scans all balances once
select b.node, b.currency
  from nodes_v1 n
  join balances_v1 b on b.shard = n.shard and b.node = n.id
 where n.shard = $1 and n.user_id = $2
 order by b.node, b.currency
