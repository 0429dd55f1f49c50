-- projector/open_items/delete: what was open before a page of the log and is not after it.
-- One probe of the index for each, whatever the planner thinks of a table that was empty when it planned
delete from open_items_v1 t
 using (select o.ctid
          from (select * from unnest($2::uuid[], $3::text[]) x(transaction, account)
                 limit cardinality($2)) x
         cross join lateral (
               select ctid
                 from open_items_v1 o
                where o.shard = $1 and o.transaction = x.transaction and o.account = x.account
                limit 1) o) k
 where t.shard = $1 and t.ctid = k.ctid
