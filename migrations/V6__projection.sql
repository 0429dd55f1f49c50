-- V6__projection: which versions of each read model there are, which one is read, and who knows that.
-- New tables only, so no lock worth a thought.
create table projection (
    shard        smallint not null,
    name         text     not null,  -- the read model
    version      smallint not null,  -- its tables are <name>_v<version>; never reused
    fold         smallint not null,  -- the code that fills them
    stage        text     not null,  -- planned, bulk, tail, verify, active, retired or dropped
    position     bigint   not null,  -- how far it has come by itself: counts in the stages planned, bulk and tail
    generation   bigint   not null,  -- number of the change of this table that led here: 1, 2, 3, …
    compared_at  bigint,             -- position of the last comparison with what is read
    differences  bigint,             -- how many rows differed then
    constraint projection_pkey primary key (shard, name, version)
);
comment on table projection is 'the versions of the read models; changed under the lock of the cursor "reads"';

create table reader (
    shard       smallint    not null,
    process     uuid        not null,  -- who reads
    generation  bigint      not null,  -- the newest change of projection that it acts on
    at          timestamptz not null,  -- UTC, when it last said so
    constraint reader_pkey primary key (shard, process)
);
comment on table reader is 'which processes read the read models: a version is dropped when none of them can ask for it';
