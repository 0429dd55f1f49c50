-- projector/platforms/load: rows by id
select id, version, position, state
  from platforms_v1
 where shard = $1 and id = any($2)
