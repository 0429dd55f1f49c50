-- projector/balances/save: accounts as they are after a page of the log
insert into balances_v1 (shard, account, node, currency, n, position, posted, held, pending_in)
select h.shard, x.account, x.node, x.currency, x.n, x.position, x.posted, x.held, x.pending_in
  from shard h,
       unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
           x(account, node, currency, n, position, posted, held, pending_in)
 where h.shard = $1
    on conflict (shard, account) do update
   set n = excluded.n, position = excluded.position, posted = excluded.posted, held = excluded.held,
       pending_in = excluded.pending_in
