-- transactions_v2: what lists of transactions look for. What a transaction is tells its stream: a handful of events, which
-- a row a tenth as large as its state leaves the page for. Three or four updates each: of an indexed column only when one
-- comes to its end.
create table if not exists transactions_v2 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    platform  uuid     not null,
    status    text     not null,  -- as the API spells it
    ended     text     not null,  -- the same once it has come to its end; empty before
    constraint transactions_v2_pkey primary key (shard, id)
) with (fillfactor = 70);
create index if not exists transactions_v2_ended on transactions_v2 (shard, platform, ended, position) include (id);
