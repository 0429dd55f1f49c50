-- entries_v2: every sixteenth entry of each account, beginning with the first. A search for the last entry at or before
-- a position begins at one of them and continues in the log, which contains the balances after each entry. Rows are
-- only inserted.
create table if not exists entries_v2 (
    shard     smallint not null,
    account   uuid     not null,
    n         integer  not null,  -- 1, 17, 33, … within the account; the version of the entry's event
    position  bigint   not null   -- of the event
);
-- An index, not a table constraint: a rebuild creates it after all rows, which takes a third of the time.
create unique index if not exists entries_v2_pkey on entries_v2 (shard, account, position);
