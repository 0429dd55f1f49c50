-- projector/queued/insert: inserts transactions that were queued in a page of the log; the caller checks the number of
-- rows
insert into queued_v1 (shard, platform, position, id)
select h.shard, unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::uuid[])
  from shard h
 where h.shard = $1
