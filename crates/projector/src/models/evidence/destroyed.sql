-- projector/evidence/destroyed: all evidence of a shard whose keys have to be destroyed
select id from evidence_v1 where shard = $1 and is_destroyed
