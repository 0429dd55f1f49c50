-- entries_v2: every sixteenth entry of each account, the first one first: where a search for an entry begins that is the
-- last at or before a position. The entries themselves are in the log, each with the numbers after it. Only ever inserted.
create table if not exists entries_v2 (
    shard     smallint not null,
    account   uuid     not null,
    n         integer  not null,  -- 1, 17, 33, … within the account: the version of the entry's event
    position  bigint   not null   -- of the event
);
-- An index, not a constraint of the table: a rebuild makes it when all rows are in, in a third of the time.
create unique index if not exists entries_v2_pkey on entries_v2 (shard, account, position);
