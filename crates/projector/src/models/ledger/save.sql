-- projector/ledger/save: adds the postings of a page of the log; the caller checks the number of rows. Sums are sent as
-- text, because they may exceed 64 bits
insert into ledger_v1 as l (shard, platform, currency, account, debits, credits)
select h.shard, x.platform, x.currency, x.account, x.debits::numeric, x.credits::numeric
  from shard h,
       unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[])
           x(platform, currency, account, debits, credits)
 where h.shard = $1
    on conflict (shard, platform, currency, account) do update
   set debits = l.debits + excluded.debits, credits = l.credits + excluded.credits
