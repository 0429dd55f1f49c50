-- projector/waiting/delete: deletes causes for which transactions stopped waiting in a page of the log; the caller
-- checks the number of rows. The lateral join with limit 1 makes the planner probe the index once per row, even if the
-- table was empty when the statement was planned
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
