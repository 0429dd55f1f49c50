-- projector/to_dos/due: what one process is to do now, the longest due first, locked until it is done or given up
select id, due_at, step
  from to_dos_v1
 where shard = $1 and process = $2 and due_at <= $3 and id <> all($4)
 order by due_at
 limit $5
   for update skip locked
