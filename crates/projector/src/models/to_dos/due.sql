-- projector/to_dos/due: locks and returns the next due to-dos of one process after a place in the order of due times,
-- for one platform, or for all if $7 is null. Rows that another process has locked are skipped
select id, due_at, step
  from to_dos_v1
 where shard = $1 and process = $2 and due_at <= $3 and (due_at, id) > ($4, $5)
   and ($7::uuid is null or platform = $7)
 order by due_at, id
 limit $6
   for update skip locked
