-- projector/open_items/list: what a platform's open items were before a moment, the oldest first
select transaction, account, currency, amount, since
  from open_items_v1
 where shard = $1 and platform = $2 and since < $3
 order by since, transaction, account
offset $4 limit $5
