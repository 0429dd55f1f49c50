-- members_v1: what is in a list, numbered without holes, so that any page is a range. Only ever inserted.
create table if not exists members_v1 (
    shard   smallint not null,
    list    uuid     not null,  -- a user: the transactions in which the user sends or receives
    n       bigint   not null,  -- 1, 2, 3, … in the order of creation
    member  uuid     not null,
    constraint members_v1_pkey primary key (shard, list, n)
);
-- counters_v1: how much is in a list.
create table if not exists counters_v1 (
    shard  smallint not null,
    list   uuid     not null,
    total  bigint   not null,
    constraint counters_v1_pkey primary key (shard, list)
) with (fillfactor = 50);
