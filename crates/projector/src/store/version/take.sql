-- projector/version/take: a version, once nobody else is at work on it
select name, version, fold, stage, position, generation, compared_at, differences, is_scratch
  from projection
 where shard = $1 and name = $2 and version = $3
   for update
