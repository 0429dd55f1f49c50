-- projector/version/list: all versions, including dropped ones
select name, version, fold, stage, position, generation, compared_at, differences, is_scratch
  from projection
 where shard = $1
 order by name, version
