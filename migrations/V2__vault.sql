-- V2__vault: data keys of the persons whose text is sealed in the log, in a schema of its own with a short backup
-- retention. New table only.
create schema vault;

create table vault.subject_key (
    shard       smallint    not null,
    subject     uuid        not null,  -- the user
    class       smallint    not null,  -- 1 profile text, 2 document values
    wrapped     bytea       not null,  -- nonce and data key, sealed under the master key
    created_at  timestamptz not null,
    constraint subject_key_pkey primary key (shard, subject, class)
);
