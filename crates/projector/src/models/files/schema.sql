-- files_v1: files that were cut for banks. Rows are only inserted.
create table if not exists files_v1 (
    shard     smallint    not null,
    file      uuid        not null,  -- ULID
    custody   uuid        not null,  -- the platform's account at the bank
    n         bigint      not null,  -- 1, 2, 3, … within the account
    position  bigint      not null,  -- of the event that cut the file
    constraint files_v1_pkey primary key (shard, custody, n)
);
create unique index if not exists files_v1_file on files_v1 (shard, file);
-- traces_v1: transaction of each entry of a file. Trace numbers repeat after ten million; the newest row is valid.
create table if not exists traces_v1 (
    shard        smallint not null,
    custody      uuid     not null,  -- the platform's account at the bank
    trace        integer  not null,
    position     bigint   not null,  -- of the event that cut the file
    transaction  uuid     not null,
    constraint traces_v1_pkey primary key (shard, custody, trace, position)
);
