-- bench/copied: a table to copy events into
create table copied (like event including indexes)
