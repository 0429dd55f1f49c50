-- projector/waiting/unqueue: transactions that were held back before a page of the log and are not after it
delete from queued_v1 q
 using unnest($2::uuid[]) x(id)
 where q.shard = $1 and q.id = x.id
