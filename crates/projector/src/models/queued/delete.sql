-- projector/queued/delete: what was held back before a page of the log and is not any more.
-- One probe of the index for each, whatever the planner thinks of a table that was empty when it planned
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
