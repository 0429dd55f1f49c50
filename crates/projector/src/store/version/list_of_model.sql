-- projector/version/list_of_model: the versions of a read model in all shards, including dropped ones
select name, version, fold, stage, position, generation, compared_at, differences, is_scratch, shard
  from projection
 where name = $1
 order by shard, version
