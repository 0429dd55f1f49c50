-- to_dos_v1: what is to be done, and from when on. Short-lived rows; one index, in the order in which they are taken.
create table if not exists to_dos_v1 (
    shard    smallint    not null,
    process  smallint    not null,
    due_at   timestamptz not null,  -- UTC, from then on
    id       uuid        not null,  -- the aggregate that it is to be done to
    step     smallint    not null,  -- in the process's own numbering
    platform uuid        not null,  -- by whose clock it is due
    constraint to_dos_v1_pkey primary key (shard, process, due_at, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
