-- custodies_v1: accounts at banks as their events tell them.
create table if not exists custodies_v1 (
    shard     smallint not null,
    id        uuid     not null,  -- follows from platform and bank
    version   integer  not null,  -- of the last event folded
    position  bigint   not null,  -- of the first event: the order of creation
    state     text     not null,  -- the aggregate as JSON
    constraint custodies_v1_pkey primary key (shard, id)
) with (fillfactor = 90);
