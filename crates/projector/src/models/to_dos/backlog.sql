-- projector/to_dos/backlog: number of due to-dos of each process, counted up to 10,000, with the earliest due time; no
-- row for a process without any
select p.process, count(d.due_at), min(d.due_at)
  from unnest($2::smallint[]) p (process)
  cross join lateral (
      select t.due_at
        from to_dos_v1 t
       where t.shard = $1 and t.process = p.process and t.due_at <= $3
       order by t.due_at
       limit 10000
  ) d
 group by p.process
