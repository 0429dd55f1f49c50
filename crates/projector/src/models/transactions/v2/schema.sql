-- transactions_v2: columns that lists of transactions need. The state is not stored: it is folded from the stream,
-- which has a handful of events, and a row without it is a tenth as large. A row is updated three or four times; an
-- indexed column changes only at the final status.
create table if not exists transactions_v2 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    platform  uuid     not null,
    status    text     not null,  -- as the API spells it
    ended     text     not null,  -- the final status; empty before
    constraint transactions_v2_pkey primary key (shard, id)
) with (fillfactor = 70);
create index if not exists transactions_v2_ended on transactions_v2 (shard, platform, ended, position) include (id);
