-- projector/ledger/tie_out: a platform's ledger accounts, sums of its open items by account and day, and sums of its lines
-- in suspense by day, with the cursor in the same snapshot
select c.position, s.part, s.currency, s.account, s.day, s.count, s.debits, s.credits
  from cursor c
  left join (
       select 'ledger' as part, l.currency, l.account, null as day, 0::bigint as count,
              l.debits::text as debits, l.credits::text as credits
         from ledger_v1 l
        where l.shard = $1 and l.platform = $2
        union all
       select 'open', o.currency, o.account, to_char(o.since at time zone 'UTC', 'YYYY-MM-DD'), count(*),
              sum(o.amount)::text, '0'
         from open_items_v1 o
        where o.shard = $1 and o.platform = $2
        group by 2, 3, 4
        union all
       select 'break', b.state::json ->> 'currency', null, b.state::json ->> 'day', count(*),
              sum((b.state::json ->> 'left')::bigint)::text, '0'
         from breaks_v1 b
        where b.shard = $1 and b.platform = $2 and b.is_open
        group by 2, 4) s on true
 where c.shard = $1 and c.name = 'reads'
