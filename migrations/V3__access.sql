-- V3__access: who may call, kept outside the log because none of it is a fact about money. Secrets only as keyed
-- hashes. New tables only.
create table platform (
    platform     uuid        not null,  -- ULID
    shard        smallint    not null,  -- where all of its streams live, chosen once
    short_id     text        not null,  -- begins every key and token of the platform and so leads to its shard
    name         text        not null,
    client_id    text        not null,
    secret_hash  bytea       not null,  -- keyed hash of the client secret
    sandbox      boolean     not null,
    user_id      uuid        not null,  -- the platform's own user
    reserve_id   uuid        not null,  -- that user's designated RESERVE-US node
    created_at   timestamptz not null,
    constraint platform_pkey primary key (platform),
    constraint platform_short_id_key unique (short_id),
    constraint platform_client_id_key unique (client_id)
);
comment on table platform is 'global: small, read-mostly, written by the command line alone';

create table oauth_key (
    shard       smallint    not null,
    key_hash    bytea       not null,  -- keyed hash of the key
    user_id     uuid        not null,
    scopes      integer     not null,  -- bit set, see engine/src/access/scope.rs
    expires_at  timestamptz not null,
    constraint oauth_key_pkey primary key (shard, key_hash)
);
create index oauth_key_expires_at_idx on oauth_key (shard, expires_at);

create table refresh (
    shard       smallint not null,
    user_id     uuid     not null,
    generation  integer  not null,  -- the current refresh_token is derived from it; the one before is still good
    uses        integer  not null,  -- of the current generation
    constraint refresh_pkey primary key (shard, user_id)
);

create table fingerprint (
    shard        smallint    not null,
    user_id      uuid        not null,
    fingerprint  bytea       not null,  -- keyed hash of the text
    created_at   timestamptz not null,
    constraint fingerprint_pkey primary key (shard, user_id, fingerprint)
);
