-- projector/version/advance: how far a version was folded by itself
update projection
   set position = $4
 where shard = $1 and name = $2 and version = $3
