-- projector/ledger/rows: trial balance of one platform, or of all if $2 is null, with the cursor in the same snapshot
select c.position, l.platform, l.currency, l.account, l.debits::text, l.credits::text
  from cursor c
  left join ledger_v1 l on l.shard = c.shard and ($2::uuid is null or l.platform = $2)
 where c.shard = $1 and c.name = 'reads'
 order by l.platform, l.currency, l.account
