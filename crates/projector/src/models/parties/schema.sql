-- parties_v1: parties of each transaction, with the number of the transaction in the list of each party. Rows are only
-- inserted.
create table if not exists parties_v1 (
    shard       smallint not null,
    id          uuid     not null,  -- the transaction
    platform    uuid     not null,
    platform_n  bigint   not null,  -- 1, 2, 3, … in its list
    sender      uuid,               -- the user, if the sender is one
    sender_n    bigint,             -- 1, 2, 3, … in that user's list, which covers both sides
    receiver    uuid,               -- the user, if the receiver is one and not the sender
    receiver_n  bigint,
    from_node   uuid,
    from_n      bigint,
    to_node     uuid,
    to_n        bigint
);
-- Indexes, not table constraints: a rebuild creates them after all rows, which takes a third of the time.
create unique index if not exists parties_v1_pkey on parties_v1 (shard, platform, platform_n);
create index if not exists parties_v1_sender on parties_v1 (shard, sender, sender_n);
create index if not exists parties_v1_receiver on parties_v1 (shard, receiver, receiver_n);
create index if not exists parties_v1_from on parties_v1 (shard, from_node, from_n);
create index if not exists parties_v1_to on parties_v1 (shard, to_node, to_n);
-- lasts_v1: last number of each list, which a rebuild keeps while the parties have no index.
create table if not exists lasts_v1 (
    shard  smallint not null,
    list   uuid     not null,
    kind   smallint not null,  -- kind of list, see members/lists.rs
    last   bigint   not null,
    constraint lasts_v1_pkey primary key (shard, list, kind)
) with (fillfactor = 50);
