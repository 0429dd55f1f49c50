-- projector/open_items/list: page of a platform's open items from before a time, oldest first
select transaction, account, currency, amount, since
  from open_items_v1
 where shard = $1 and platform = $2 and since < $3
 order by since, transaction, account
offset $4 limit $5
