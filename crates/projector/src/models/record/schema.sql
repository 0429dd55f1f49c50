-- records_v1: current states of the records of one kind. The state is text, not json: Daybook encoded it, so the server
-- need not parse it again.
create table if not exists records_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- ULID
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON; boxes in it stay sealed
    constraint records_v1_pkey primary key (shard, id)
) with (fillfactor = 90);
