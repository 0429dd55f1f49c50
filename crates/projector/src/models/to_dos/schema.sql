-- to_dos_v1: pending to-dos with their due times. Rows are short-lived; the only index has the order in which they are
-- taken.
create table if not exists to_dos_v1 (
    shard    smallint    not null,
    process  smallint    not null,
    due_at   timestamptz not null,  -- UTC
    id       uuid        not null,  -- the aggregate that the to-do is about
    step     smallint    not null,  -- in the process's own numbering
    platform uuid        not null,  -- the platform whose clock determines when it is due
    constraint to_dos_v1_pkey primary key (shard, process, due_at, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
