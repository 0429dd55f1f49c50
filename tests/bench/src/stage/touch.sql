-- bench/touch: fills a table with one row per page of shared_buffers, so that the server has all of that memory
create unlogged table touched (filler char(8000));
alter table touched alter column filler set storage plain;
insert into touched (filler)
select '' from generate_series(1, (select setting::integer from pg_settings where name = 'shared_buffers'));
drop table touched;
