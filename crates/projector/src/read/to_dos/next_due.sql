-- to_dos.next_due: when any of the processes has something to do next.
select min(t.due_at)
  from unnest($2::smallint[]) p(process)
  join lateral (
       select due_at from to_dos_v1 where shard = $1 and process = p.process order by due_at limit 1) t on true
