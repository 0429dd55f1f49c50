-- daily_v1: change of an account on each day, by the effective day of the entries. Rows are updated all day; half of
-- each page is left free, so that updates stay in it.
create table if not exists daily_v1 (
    shard    smallint not null,
    account  uuid     not null,
    day      integer  not null,  -- days since 1970-01-01, UTC; effective day of the entries
    delta    bigint   not null,  -- minor units, sum of the day's entries
    entries  integer  not null,  -- number of the day's entries
    last_n   integer  not null,  -- version of the newest of them within the account
    constraint daily_v1_pkey primary key (shard, account, day)
) with (fillfactor = 50);
