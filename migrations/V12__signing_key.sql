-- V12__signing_key: every public key that ever signed a shard's commits. Whoever begins to sign is written down first.
create table signing_key (
    shard       smallint    not null,
    key_id      bytea       not null,  -- with which its signatures begin
    name        text        not null,  -- the origin of the shard's log, the same of all
    public_key  text        not null,  -- name, id and key, as those who verify have it
    since       timestamptz not null,  -- later than that of every key before it
    constraint signing_key_pkey primary key (shard, key_id),
    constraint signing_key_id_has_4_bytes check (octet_length(key_id) = 4)
);
create trigger signing_key_append_only before update or delete or truncate on signing_key
    for each statement execute function refuse_change();
