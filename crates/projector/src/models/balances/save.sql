-- projector/balances/save: writes accounts as of the end of a page of the log; the caller checks the number of rows
insert into balances_v1 (shard, account, node, currency, n, position, posted, held, pending_in)
select h.shard, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::text[]), unnest($5::integer[]),
       unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[])
  from shard h
 where h.shard = $1
    on conflict (shard, account) do update
   set n = excluded.n, position = excluded.position, posted = excluded.posted, held = excluded.held,
       pending_in = excluded.pending_in
