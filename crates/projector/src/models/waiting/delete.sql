-- projector/waiting/delete: what transactions waited for before a page of the log and do not after it.
-- One probe of the index for each, whatever the planner thinks of a table that was empty when it planned
delete from waiting_v1 t
 where t.ctid = any (array(
       select k.ctid
         from unnest($2::uuid[], $3::uuid[]) x(waits_for, id)
        cross join lateral (
              select o.ctid
                from waiting_v1 o
               where o.shard = $1 and o.waits_for = x.waits_for and o.id = x.id
               limit 1) k))
