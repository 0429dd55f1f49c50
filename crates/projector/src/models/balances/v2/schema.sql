-- balances_v2: the newest numbers of every account. Updated all the time, never an indexed column: half of each page is room.
create table if not exists balances_v2 (
    shard       smallint not null,
    account     uuid     not null,
    platform    uuid     not null,
    node        uuid     not null,
    currency    text     not null,  -- ISO 4217
    entries     integer  not null,  -- how many there are so far
    position    bigint   not null,  -- of the last entry's event
    posted      bigint   not null,  -- minor units
    held        bigint   not null,  -- minor units
    pending_in  bigint   not null,  -- minor units
    constraint balances_v2_pkey primary key (shard, account)
) with (fillfactor = 50);
