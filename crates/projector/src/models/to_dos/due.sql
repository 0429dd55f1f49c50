-- projector/to_dos/due: what one process is to do now, for one platform or all, the longest due first, after a place in
-- that order; locked until it is done or given up
select id, due_at, step
  from to_dos_v1
 where shard = $1 and process = $2 and due_at <= $3 and (due_at, id) > ($4, $5)
   and ($7::uuid is null or platform = $7)
 order by due_at, id
 limit $6
   for update skip locked
