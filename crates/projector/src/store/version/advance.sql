-- projector/version/advance: moves the position of a version that is folded on its own; the caller checks for one row
update projection
   set position = $4
 where shard = $1 and name = $2 and version = $3
