-- V9__erasure: who was erased is found without reading the log; and a vault whose master key can be changed. The index is
-- empty on every log so far, but each row is looked at once: appends wait for it, about a second per ten million events.
create index event_user_erased on event (shard, position) include (stream) where type = 19;

-- Which master key a data key is wrapped under; null if that was before master keys had names.
alter table vault.subject_key add column master bytea;

-- Keys that are of nobody: of keyed hashes and tokens. They were derived from the first master key and outlive it.
create table vault.derived_key (
    name        text        not null,  -- its use
    wrapped     bytea       not null,  -- nonce and key, sealed under the master key
    master      bytea       not null,  -- the name of that
    created_at  timestamptz not null,
    constraint derived_key_pkey primary key (name)
);
comment on table vault.derived_key is 'global: eight rows, written once and at each change of the master key';
