-- projector/open_items/save: what is open after a page of the log and was not, or otherwise, before it
insert into open_items_v1 (shard, transaction, account, platform, currency, amount, since)
select h.shard, x.transaction, x.account, x.platform, x.currency, x.amount, x.since
  from shard h,
       unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::bigint[], $7::timestamptz[])
           x(transaction, account, platform, currency, amount, since)
 where h.shard = $1
    on conflict (shard, transaction, account) do update
   set amount = excluded.amount, since = excluded.since
