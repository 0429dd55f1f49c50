-- projector/to_dos/backlog: how much each process has to do that is due, ten thousand counted at most, and since when
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
