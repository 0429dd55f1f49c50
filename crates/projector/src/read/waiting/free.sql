-- projector/waiting/free: what many wait for came in a page of the log; nobody may have waited
update waiting_v1 w
   set freed_at = x.freed_at
  from unnest($2::uuid[], $3::timestamptz[]) x(waits_for, freed_at)
 where w.shard = $1 and w.waits_for = x.waits_for
