-- platforms_v1: platforms as their events tell them.
-- Text, not json: its bytes come from us and need no second parsing by the server.
create table if not exists platforms_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON; boxes in it stay closed
    clock_ms  bigint   not null,  -- how far its clock is ahead
    constraint platforms_v1_pkey primary key (shard, id)
) with (fillfactor = 100);
create index if not exists platforms_v1_clock on platforms_v1 (shard, id) where clock_ms > 0;
