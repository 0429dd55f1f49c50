-- open_items_v1: amounts between the ledger and a bank that no statement has explained yet.
create table if not exists open_items_v1 (
    shard        smallint    not null,
    transaction  uuid        not null,
    account      text        not null,  -- of a rail or of returns, as postings name it
    platform     uuid        not null,
    currency     text        not null,  -- ISO 4217
    amount       bigint      not null,  -- minor units; a debit is positive: money that is due to us
    since        timestamptz not null,  -- UTC, by the platform's clock
    constraint open_items_v1_pkey primary key (shard, transaction, account)
);
create index if not exists open_items_v1_since on open_items_v1 (shard, platform, since, transaction);
