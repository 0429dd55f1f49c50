-- daily_v2: entries whose effective day is not the day of recording. Each is added to the effective day and subtracted
-- from the day of recording. Rows may be updated all day; half of each page is left free, so that updates stay in it.
create table if not exists daily_v2 (
    shard          smallint not null,
    account        uuid     not null,
    day            integer  not null,  -- days since 1970-01-01, UTC
    moved          bigint   not null,  -- minor units; moved to the day, minus moved from it
    moved_entries  integer  not null,  -- number of entries moved to the day, minus moved from it
    last_n         integer  not null,  -- version of the newest entry moved to the day; 0 if there is none
    constraint daily_v2_pkey primary key (shard, account, day)
) with (fillfactor = 50);
