-- ledger_v1: sums of the postings to every ledger account. All nodes of a platform share one row per currency.
create table if not exists ledger_v1 (
    shard     smallint not null,
    platform  uuid     not null,
    currency  text     not null,  -- ISO 4217
    account   text     not null,  -- as postings name it; 'nodes' for all of them
    debits    numeric  not null,  -- minor units; sum of all debits
    credits   numeric  not null,  -- minor units; sum of all credits
    constraint ledger_v1_pkey primary key (shard, platform, currency, account)
) with (fillfactor = 50);
