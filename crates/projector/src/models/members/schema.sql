-- members_v3: what is in a list, numbered without holes in the order of creation. Only ever inserted, but for is_present.
create table if not exists members_v3 (
    shard       smallint not null,
    list        uuid     not null,  -- whose list: of a user, a node, a platform
    kind        smallint not null,  -- of what, as members/lists.rs numbers it: several lists may be of the same id
    n           bigint   not null,  -- 1, 2, 3, …
    member      uuid     not null,
    is_present  boolean  not null   -- whether the list shows it
);
-- An index, not a constraint of the table: a rebuild makes it when all rows are in, in a third of the time.
create unique index if not exists members_v3_pkey on members_v3 (shard, list, kind, n);
-- Finds who leaves. Of lists that nobody leaves it has nothing.
create index if not exists members_v3_member on members_v3 (shard, list, kind, member) where kind in (4, 5);
-- Tells a page how many of the numbers before it are not shown any more.
create index if not exists members_v3_absent on members_v3 (shard, list, kind, n) where not is_present;
-- counters_v3: how much is in a list that members may leave. Fold 1 counts the others, too, and so does a rebuild while
-- members have no index.
create table if not exists counters_v3 (
    shard  smallint not null,
    list   uuid     not null,
    kind   smallint not null,
    total  bigint   not null,  -- members that are present
    last   bigint   not null,  -- number of the last member, present or not
    constraint counters_v3_pkey primary key (shard, list, kind)
) with (fillfactor = 50);
