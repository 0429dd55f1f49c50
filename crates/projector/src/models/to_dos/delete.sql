-- projector/to_dos/delete: deletes to-dos that a page of the log completed or moved to another time; the caller checks
-- the number of rows. The lateral join with limit 1 makes the planner probe the index once per to-do, even if the table
-- was empty when the statement was planned
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
