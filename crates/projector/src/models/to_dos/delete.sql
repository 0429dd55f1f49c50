-- projector/to_dos/delete: what was to be done before a page of the log and is not any more, or at another time.
-- One probe of the index for each, whatever the planner thinks of a table that was empty when it planned
delete from to_dos_v1 t
 using (select o.ctid
          from (select * from unnest($2::smallint[], $3::timestamptz[], $4::uuid[]) x(process, due_at, id)
                 limit cardinality($2)) x
         cross join lateral (
               select ctid
                 from to_dos_v1 o
                where o.shard = $1 and o.process = x.process and o.due_at = x.due_at and o.id = x.id
                limit 1) o) k
 where t.shard = $1 and t.ctid = k.ctid
