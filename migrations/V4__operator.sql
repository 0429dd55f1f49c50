-- V4__operator: who runs the ledger, beside the platforms because none of it is a fact about money; and a way to find
-- the commit of a moment. Appends wait while the index is built: one row per commit, so seconds at the most.
create table operator (
    operator     uuid        not null,  -- ULID
    name         text        not null,
    secret_hash  bytea       not null,  -- keyed hash of id and secret
    created_at   timestamptz not null,
    revoked_at   timestamptz,           -- from then on the credentials open nothing; the row stays, to tell who it was
    constraint operator_pkey primary key (operator)
);
comment on table operator is 'global: small, read-mostly, written by the command line alone';

-- Balances as of a moment begin at the last commit up to it. Commits may share a millisecond: the highest number counts.
create index commit_recorded_at on commit (shard, recorded_at, commit_no);
