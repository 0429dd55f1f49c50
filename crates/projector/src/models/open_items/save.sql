-- projector/open_items/save: writes items that a page of the log opened or changed; the caller checks the number of
-- rows
insert into open_items_v1 (shard, transaction, account, platform, currency, amount, since)
select h.shard, unnest($2::uuid[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::text[]), unnest($6::bigint[]),
       unnest($7::timestamptz[])
  from shard h
 where h.shard = $1
    on conflict (shard, transaction, account) do update
   set amount = excluded.amount, since = excluded.since
