-- projector/waiting/delete: what transactions waited for before a page of the log and do not after it.
-- One probe of the index for each, whatever the planner thinks of a table that was empty when it planned
delete from waiting_v1 t
 using (select o.ctid
          from (select * from unnest($2::uuid[], $3::uuid[]) x(waits_for, id)
                 limit cardinality($2)) x
         cross join lateral (
               select ctid
                 from waiting_v1 o
                where o.shard = $1 and o.waits_for = x.waits_for and o.id = x.id
                limit 1) o) k
 where t.shard = $1 and t.ctid = k.ctid
