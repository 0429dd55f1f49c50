-- files_v1: the files that were cut for banks. Only ever inserted.
create table if not exists files_v1 (
    shard     smallint    not null,
    file      uuid        not null,  -- ULID
    custody   uuid        not null,  -- the account at the bank
    n         bigint      not null,  -- 1, 2, 3, … within the account
    position  bigint      not null,  -- of the event that cut it
    constraint files_v1_pkey primary key (shard, custody, n)
);
create unique index if not exists files_v1_file on files_v1 (shard, file);
-- traces_v1: which transaction an entry of a file is of. Numbers begin again after ten million: the newest counts.
create table if not exists traces_v1 (
    shard        smallint not null,
    custody      uuid     not null,  -- the account at the bank
    trace        integer  not null,
    position     bigint   not null,  -- of the event that cut the file
    transaction  uuid     not null,
    constraint traces_v1_pkey primary key (shard, custody, trace, position)
);
