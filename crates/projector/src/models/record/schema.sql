-- records_v1: the records of one kind, as their events tell them.
-- Text, not json: its bytes come from us and need no second parsing by the server.
create table if not exists records_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON; boxes in it stay closed
    constraint records_v1_pkey primary key (shard, id)
) with (fillfactor = 90);
