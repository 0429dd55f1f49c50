-- log/last/forget_parts: deletes the parts of all trees
delete from last_part p where p.shard = $1
