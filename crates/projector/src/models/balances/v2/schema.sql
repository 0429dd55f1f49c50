-- balances_v2: newest balances of every account. Rows are updated often and no indexed column changes; half of each
-- page is left free, so that updates stay in it.
create table if not exists balances_v2 (
    shard       smallint not null,
    account     uuid     not null,
    platform    uuid     not null,
    node        uuid     not null,
    currency    text     not null,  -- ISO 4217
    entries     integer  not null,  -- number of entries so far
    position    bigint   not null,  -- of the last entry's event
    posted      bigint   not null,  -- minor units
    held        bigint   not null,  -- minor units
    pending_in  bigint   not null,  -- minor units
    constraint balances_v2_pkey primary key (shard, account)
) with (fillfactor = 50);
