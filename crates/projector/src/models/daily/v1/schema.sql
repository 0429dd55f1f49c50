-- daily_v1: what each day adds to an account, by the day on which it counts. Updated all day: half of each page is room.
create table if not exists daily_v1 (
    shard    smallint not null,
    account  uuid     not null,
    day      integer  not null,  -- days since 1970-01-01, UTC, of when the entries count
    delta    bigint   not null,  -- minor units, what the day's entries add to posted
    entries  integer  not null,  -- number of the day's entries
    last_n   integer  not null,  -- number of the newest of them within the account
    constraint daily_v1_pkey primary key (shard, account, day)
) with (fillfactor = 50);
