-- projector/waiting/delete: what transactions waited for before a page of the log and do not after it
delete from waiting_v1 w
 using unnest($2::uuid[], $3::uuid[]) x(waits_for, id)
 where w.shard = $1 and w.waits_for = x.waits_for and w.id = x.id
