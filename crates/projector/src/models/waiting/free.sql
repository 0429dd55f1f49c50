-- projector/waiting/free: marks transactions whose cause was cleared in a page of the log. Possibly no transaction
-- waits for it, so the caller does not check the number of rows
update waiting_v1 w
   set freed_at = k.freed_at
  from (select o.ctid, x.freed_at
          from (select * from unnest($2::uuid[], $3::timestamptz[]) x(waits_for, freed_at)
                 limit cardinality($2)) x
         cross join lateral (
               select ctid from waiting_v1 where shard = $1 and waits_for = x.waits_for offset 0) o) k
 where w.shard = $1 and w.ctid = k.ctid
