-- projector/open_items/delete: deletes items that a page of the log closed; the caller checks the number of rows. The
-- lateral join with limit 1 makes the planner probe the index once per item, even if the table was empty when the
-- statement was planned
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
