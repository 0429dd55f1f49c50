-- projector/to_dos/any: processes of $2 with due to-dos, and process $3 if a transaction waits for release; for one
-- platform, or for all if $5 is null. The lateral join with limit 1 makes the planner probe the index once per process:
-- exists would become a join that reads all due rows
select p.process
  from unnest($2::smallint[]) as p (process)
 cross join lateral (
       select t.id
         from to_dos_v1 t
        where t.shard = $1 and t.process = p.process and t.due_at <= $4
          and ($5::uuid is null or t.platform = $5)
        limit 1) d
union all
select $3::smallint
 where exists (
       select from waiting_v1 w
        where w.shard = $1 and w.freed_at is not null and w.freed_at <= $4
          and ($5::uuid is null or w.platform = $5))
