-- bench/copied: a table to copy events into
drop table if exists copied;
create table copied (like event including indexes)
