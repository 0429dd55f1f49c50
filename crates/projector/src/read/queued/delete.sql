-- projector/queued/delete: what was held back before a page of the log and is not any more
delete from queued_v1 q
 using unnest($2::uuid[], $3::bigint[]) x(platform, position)
 where q.shard = $1 and q.platform = x.platform and q.position = x.position
