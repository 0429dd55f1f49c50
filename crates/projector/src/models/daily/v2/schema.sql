-- daily_v2: entries that count on another day than that on which they were recorded. Each is added to the one and taken from
-- the other. Updated all day where there are such: half of each page is room.
create table if not exists daily_v2 (
    shard          smallint not null,
    account        uuid     not null,
    day            integer  not null,  -- days since 1970-01-01, UTC
    moved          bigint   not null,  -- minor units: what came to the day, less what went from it
    moved_entries  integer  not null,  -- number of entries that came, less that of those that went
    last_n         integer  not null,  -- number of the newest that came, within the account; 0 if none did
    constraint daily_v2_pkey primary key (shard, account, day)
) with (fillfactor = 50);
