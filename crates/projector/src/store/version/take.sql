-- projector/version/take: locks a version and returns it; waits for the process that holds the lock
select name, version, fold, stage, position, generation, compared_at, differences, is_scratch
  from projection
 where shard = $1 and name = $2 and version = $3
   for update
