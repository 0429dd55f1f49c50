-- projector/queued/delete: deletes transactions that left the queue in a page of the log; the caller checks the number
-- of rows. The lateral join with limit 1 makes the planner probe the index once per transaction, even if the table was
-- empty when the statement was planned
delete from queued_v1 t
 using (select o.ctid
          from (select * from unnest($2::uuid[], $3::bigint[]) x(platform, position)
                 limit cardinality($2)) x
         cross join lateral (
               select ctid
                 from queued_v1 o
                where o.shard = $1 and o.platform = x.platform and o.position = x.position
                limit 1) o) k
 where t.shard = $1 and t.ctid = k.ctid
