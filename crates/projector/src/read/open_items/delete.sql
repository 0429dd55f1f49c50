-- projector/open_items/delete: what was open before a page of the log and is not after it
delete from open_items_v1 o
 using unnest($2::uuid[], $3::text[]) x(transaction, account)
 where o.shard = $1 and o.transaction = x.transaction and o.account = x.account
