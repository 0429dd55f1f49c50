-- waiting_v1: transactions that are queued for the permission of a user or the lock of a node.
create table if not exists waiting_v1 (
    shard      smallint    not null,
    waits_for  uuid        not null,  -- the user or the node
    id         uuid        not null,  -- the transaction
    platform   uuid        not null,
    freed_at   timestamptz,           -- UTC; time at which the cause was cleared, if it was
    constraint waiting_v1_pkey primary key (shard, waits_for, id)
);
create index if not exists waiting_v1_freed on waiting_v1 (shard, freed_at, id) where freed_at is not null;
