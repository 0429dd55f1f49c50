-- V5__blind_index: what persons can be found by without reading a box: keyed hashes of the beginnings of their names and
-- logins. It dies with the subject, so it stands beside the keys and not in the log. New table only.
create table vault.blind_index (
    shard    smallint not null,
    token    bytea    not null,  -- first 16 bytes of HMAC-SHA-256 of platform and beginning
    subject  uuid     not null,  -- the user
    constraint blind_index_pkey primary key (shard, token, subject)
);
create index blind_index_subject on vault.blind_index (shard, subject);
