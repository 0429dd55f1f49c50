-- breaks_v1: current states of the lines of statements that were booked to suspense.
create table if not exists breaks_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- follows from the statement and the line
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON
    platform  uuid     not null,
    is_open   boolean  not null,  -- true if a part of the line is in suspense
    constraint breaks_v1_pkey primary key (shard, id)
) with (fillfactor = 90);
create index if not exists breaks_v1_open on breaks_v1 (shard, platform, position) include (id) where is_open;
