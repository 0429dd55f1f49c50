-- projector/to_dos/due_alone: what one process is to do now, as in to_dos/due; nothing if another does that at this moment.
-- The rows are not locked: they go as soon as they are done, and the projection would wait until all of them are. Nothing is
-- written but that lock, so its end need not wait for the disk
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
