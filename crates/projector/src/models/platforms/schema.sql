-- platforms_v1: current states of platforms. The state is text, not json: Daybook encoded it, so the server need not
-- parse it again.
create table if not exists platforms_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON; boxes in it stay sealed
    clock_ms  bigint   not null,  -- milliseconds by which its clock is ahead
    constraint platforms_v1_pkey primary key (shard, id)
) with (fillfactor = 100);
create index if not exists platforms_v1_clock on platforms_v1 (shard, id) where clock_ms > 0;
