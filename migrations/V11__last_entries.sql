-- V11__last_entries: the trees of last entries that attestations commit to. New tables, and an index that is empty on every
-- log so far, but each row of event is looked at once: appends wait for it, about a second per ten million events.
create table last_tree (
    shard     smallint not null,
    platform  uuid     not null,
    position  bigint   not null,  -- the last one that was looked at
    accounts  bigint   not null,
    roots     bytea    not null,  -- of its parts, 32 bytes each, in order
    attested  bigint,             -- position of the event that commits to it; null until there is one
    constraint last_tree_pkey primary key (shard, platform, position)
);
comment on table last_tree is 'follows from the events; the newest ones of each platform';

create table last_part (
    shard     smallint not null,
    platform  uuid     not null,
    position  bigint   not null,  -- of its tree
    first     uuid     not null,  -- the first account in it
    part      bigint   not null,  -- 0, 1, 2, … in order of the accounts
    entries   bytea    not null,  -- up to 256, of 56 bytes: account, position, leaf hash
    constraint last_part_pkey primary key (shard, platform, position, first)
);

create index event_attestation_made on event (shard, position) include (stream) where type = 110;
