-- queued_v1: transactions that are held back. A table of its own, so that those that never are cost nothing.
create table if not exists queued_v1 (
    shard     smallint not null,
    platform  uuid     not null,
    position  bigint   not null,  -- of the transaction's first event: the order of creation
    id        uuid     not null,  -- the transaction
    constraint queued_v1_pkey primary key (shard, platform, position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
