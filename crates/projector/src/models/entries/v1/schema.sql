-- entries_v1: every entry of every account, with the numbers after it. Only ever inserted. The key is by position: the
-- balance at any is the row at or before it, one probe.
create table if not exists entries_v1 (
    shard          smallint    not null,
    account        uuid        not null,
    n              integer     not null,  -- 1, 2, 3, … within the account: the version of the entry's event
    position       bigint      not null,  -- of the event
    cause          uuid        not null,  -- the transaction whose step this is
    delta          bigint      not null,  -- minor units, added to posted
    hold_delta     bigint      not null,  -- minor units, added to held
    pending_delta  bigint      not null,  -- minor units, added to pending_in
    posted         bigint      not null,  -- minor units after it
    held           bigint      not null,  -- minor units after it
    pending_in     bigint      not null,  -- minor units after it
    recorded_at    timestamptz not null   -- UTC
);
-- An index, not a constraint of the table: a rebuild makes it when all rows are in, in a third of the time.
create unique index if not exists entries_v1_pkey on entries_v1 (shard, account, position);
