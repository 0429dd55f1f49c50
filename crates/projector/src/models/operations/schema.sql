-- operations_v1: current states of the operations that operators requested.
create table if not exists operations_v1 (
    shard       smallint not null,
    id          uuid     not null,  -- ULID
    version     integer  not null,  -- of the last event folded
    position    bigint   not null,  -- of the first event: the order of creation
    state       text     not null,  -- the aggregate as JSON; boxes in it stay sealed
    platform    uuid     not null,
    is_waiting  boolean  not null,  -- true if it waits for the approval of another operator
    constraint operations_v1_pkey primary key (shard, id)
) with (fillfactor = 90);
create index if not exists operations_v1_platform on operations_v1 (shard, platform, position);
