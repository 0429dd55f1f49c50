-- log/last/forget_parts: those of all trees
delete from last_part p where p.shard = $1
