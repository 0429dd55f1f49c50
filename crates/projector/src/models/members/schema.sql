-- members_v3: members of lists, numbered without gaps in order of creation. Rows are only inserted; only is_present
-- changes.
create table if not exists members_v3 (
    shard       smallint not null,
    list        uuid     not null,  -- owner of the list: a user, a node or a platform
    kind        smallint not null,  -- kind of list, see members/lists.rs: one owner may have several lists
    n           bigint   not null,  -- 1, 2, 3, …
    member      uuid     not null,
    is_present  boolean  not null   -- true if the list shows the member
);
-- An index, not a table constraint: a rebuild creates it after all rows, which takes a third of the time.
create unique index if not exists members_v3_pkey on members_v3 (shard, list, kind, n);
-- Finds a member that leaves. Contains only lists that a member can leave.
create index if not exists members_v3_member on members_v3 (shard, list, kind, member) where kind in (4, 5);
-- Counts the absent members before a page.
create index if not exists members_v3_absent on members_v3 (shard, list, kind, n) where not is_present;
-- counters_v3: counters of the lists that a member can leave. Fold 1 counts the other lists as well, and so does a
-- rebuild while the members have no index.
create table if not exists counters_v3 (
    shard  smallint not null,
    list   uuid     not null,
    kind   smallint not null,
    total  bigint   not null,  -- number of present members
    last   bigint   not null,  -- number of the last member, present or not
    constraint counters_v3_pkey primary key (shard, list, kind)
) with (fillfactor = 50);
