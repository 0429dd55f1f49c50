-- projector/to_dos/due_alone: due to-dos of a process that runs once at a time, in the order of projector/to_dos/due;
-- no row if another process holds the lock. Only the row of the duty is locked: the projector deletes each to-do as
-- soon as it is done, and would wait for locked to-dos until the whole batch is done. The database transaction writes
-- only this lock, so its commit need not wait for the disk
  with mine as materialized (
       select d.shard, set_config('synchronous_commit', 'off', true)
         from duty d
        where d.shard = $1 and d.process = $2
          for update skip locked)
select id, due_at, step
  from to_dos_v1
 where shard = $1 and exists (select from mine) and process = $2 and due_at <= $3 and (due_at, id) > ($4, $5)
   and ($7::uuid is null or platform = $7)
 order by due_at, id
 limit $6
