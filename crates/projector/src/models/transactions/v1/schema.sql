-- transactions_v1: current states of transactions. A row is updated three or four times; an indexed column changes only
-- at the final status. The state is text, not json: Daybook encoded it, so the server need not parse it again.
create table if not exists transactions_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON; boxes in it stay sealed
    platform  uuid     not null,
    status    text     not null,  -- as the API spells it
    ended     text     not null,  -- the final status; empty before
    constraint transactions_v1_pkey primary key (shard, id)
) with (fillfactor = 70);
create index if not exists transactions_v1_ended on transactions_v1 (shard, platform, ended, position) include (id);
