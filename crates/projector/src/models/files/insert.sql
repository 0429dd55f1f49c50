-- projector/files/insert: inserts the files that were cut in a page of the log; the caller checks the number of rows
insert into files_v1 (shard, file, custody, n, position)
select h.shard, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::bigint[]), unnest($5::bigint[])
  from shard h
 where h.shard = $1
