-- to_dos_v1: what is to be done, and from when on. Short-lived rows.
create table if not exists to_dos_v1 (
    shard    smallint    not null,
    process  smallint    not null,
    id       uuid        not null,  -- the aggregate that it is to be done to
    due_at   timestamptz not null,  -- UTC, from then on
    step     smallint    not null,  -- in the process's own numbering
    constraint to_dos_v1_pkey primary key (shard, process, id),
    constraint to_dos_v1_due_key unique (shard, process, due_at, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
