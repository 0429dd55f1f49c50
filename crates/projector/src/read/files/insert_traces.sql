-- projector/files/insert_traces: the entries of the files that were cut in a page of the log
insert into traces_v1 (shard, custody, trace, position, transaction)
select h.shard, x.custody, x.trace, x.position, x.transaction
  from shard h, unnest($2::uuid[], $3::integer[], $4::bigint[], $5::uuid[]) x(custody, trace, position, transaction)
 where h.shard = $1
