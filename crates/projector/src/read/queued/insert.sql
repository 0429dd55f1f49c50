-- projector/queued/insert: what is held back after a page of the log and was not before it
insert into queued_v1 (shard, platform, position, id)
select h.shard, x.platform, x.position, x.id
  from shard h, unnest($2::uuid[], $3::bigint[], $4::uuid[]) x(platform, position, id)
 where h.shard = $1
