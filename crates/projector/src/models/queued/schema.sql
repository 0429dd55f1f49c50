-- queued_v1: queued transactions. They have a table of their own, so that a transaction that is never queued costs
-- nothing.
create table if not exists queued_v1 (
    shard     smallint not null,
    platform  uuid     not null,
    position  bigint   not null,  -- of the transaction's first event: the order of creation
    id        uuid     not null,  -- the transaction
    constraint queued_v1_pkey primary key (shard, platform, position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
