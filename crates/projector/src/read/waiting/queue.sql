-- projector/waiting/queue: transactions that are held back after a page of the log and were not before it
insert into queued_v1 (shard, id, platform, position)
select h.shard, x.id, x.platform, x.position
  from shard h, unnest($2::uuid[], $3::uuid[], $4::bigint[]) x(id, platform, position)
 where h.shard = $1
