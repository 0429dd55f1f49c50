-- projector/files/insert: the files that were cut in a page of the log
insert into files_v1 (shard, file, custody, n, position)
select h.shard, x.file, x.custody, x.n, x.position
  from shard h, unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[]) x(file, custody, n, position)
 where h.shard = $1
