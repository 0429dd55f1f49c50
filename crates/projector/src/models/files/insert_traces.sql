-- projector/files/insert_traces: inserts the entries of the files that were cut in a page of the log; the caller checks
-- the number of rows
insert into traces_v1 (shard, custody, trace, position, transaction)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::uuid[])
  from shard h
 where h.shard = $1
