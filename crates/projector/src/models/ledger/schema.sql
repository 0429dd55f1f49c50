-- ledger_v1: what was posted to every ledger account; all nodes together are one row.
create table if not exists ledger_v1 (
    shard     smallint not null,
    platform  uuid     not null,
    currency  text     not null,  -- ISO 4217
    account   text     not null,  -- as postings name it; 'nodes' for all of them
    debits    numeric  not null,  -- minor units; all debits ever
    credits   numeric  not null,  -- minor units; all credits ever
    constraint ledger_v1_pkey primary key (shard, platform, currency, account)
) with (fillfactor = 50);
