-- projector/entries/v2/insert: inserts every sixteenth entry of each account, from a page of the log; the caller checks
-- the number of rows
insert into entries_v2 (shard, account, n, position)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[])
  from shard h
 where h.shard = $1
