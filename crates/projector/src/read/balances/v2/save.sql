-- projector/balances/v2/save: accounts as they are after a page of the log
insert into balances_v2 (shard, account, platform, node, currency, entries, position, posted, held, pending_in)
select h.shard, x.account, x.platform, x.node, x.currency, x.entries, x.position, x.posted, x.held, x.pending_in
  from shard h,
       unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::integer[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
           x(account, platform, node, currency, entries, position, posted, held, pending_in)
 where h.shard = $1
    on conflict (shard, account) do update
   set entries = excluded.entries, position = excluded.position, posted = excluded.posted, held = excluded.held,
       pending_in = excluded.pending_in
