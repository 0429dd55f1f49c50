-- evidence_v1: current states of evidence, with the column by which evidence is found whose keys have to be destroyed. The
-- state is text, not json: Daybook encoded it, so the server need not parse it again.
create table if not exists evidence_v1 (
    shard         smallint not null,
    id            uuid     not null,  -- follows from the account and the month
    version       integer  not null,  -- of the last event folded
    position      bigint   not null,  -- of the first event: the order of creation
    state         text     not null,  -- the aggregate as JSON
    is_destroyed  boolean  not null,  -- true if the keys are destroyed
    constraint evidence_v1_pkey primary key (shard, id)
);
create index if not exists evidence_v1_destroyed on evidence_v1 (shard, id) where is_destroyed;
