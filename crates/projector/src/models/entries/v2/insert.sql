-- projector/entries/v2/insert: those entries of a page of the log from which others are searched
insert into entries_v2 (shard, account, n, position)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[])
  from shard h
 where h.shard = $1
