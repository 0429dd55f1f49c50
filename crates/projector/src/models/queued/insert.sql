-- projector/queued/insert: what is held back after a page of the log and was not before it
insert into queued_v1 (shard, platform, position, id)
select h.shard, unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::uuid[])
  from shard h
 where h.shard = $1
