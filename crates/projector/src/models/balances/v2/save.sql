-- projector/balances/v2/save: writes accounts as of the end of a page of the log; the caller checks the number of rows
insert into balances_v2 (shard, account, platform, node, currency, entries, position, posted, held, pending_in)
select h.shard, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::text[]), unnest($6::integer[]),
       unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::bigint[])
  from shard h
 where h.shard = $1
    on conflict (shard, account) do update
   set entries = excluded.entries, position = excluded.position, posted = excluded.posted, held = excluded.held,
       pending_in = excluded.pending_in
