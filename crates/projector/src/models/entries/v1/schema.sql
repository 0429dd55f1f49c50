-- entries_v1: all entries of all accounts, with the balances after each entry. Rows are only inserted. The key contains
-- the position: the balance at a position is in the last row at or before it, which is one index probe.
create table if not exists entries_v1 (
    shard          smallint    not null,
    account        uuid        not null,
    n              integer     not null,  -- 1, 2, 3, … within the account; the version of the entry's event
    position       bigint      not null,  -- of the event
    cause          uuid        not null,  -- the transaction that caused the entry
    delta          bigint      not null,  -- minor units, added to posted
    hold_delta     bigint      not null,  -- minor units, added to held
    pending_delta  bigint      not null,  -- minor units, added to pending_in
    posted         bigint      not null,  -- minor units after it
    held           bigint      not null,  -- minor units after it
    pending_in     bigint      not null,  -- minor units after it
    recorded_at    timestamptz not null   -- UTC
);
-- An index, not a table constraint: a rebuild creates it after all rows, which takes a third of the time.
create unique index if not exists entries_v1_pkey on entries_v1 (shard, account, position);
