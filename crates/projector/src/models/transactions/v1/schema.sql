-- transactions_v1: transactions as their events tell them. Three or four updates each: of an indexed column only when
-- one comes to its end.
-- Text, not json: its bytes come from us and need no second parsing by the server.
create table if not exists transactions_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON; boxes in it stay closed
    platform  uuid     not null,
    status    text     not null,  -- as the API spells it
    ended     text     not null,  -- the same once it has come to its end; empty before
    constraint transactions_v1_pkey primary key (shard, id)
) with (fillfactor = 70);
create index if not exists transactions_v1_ended on transactions_v1 (shard, platform, ended, position) include (id);
