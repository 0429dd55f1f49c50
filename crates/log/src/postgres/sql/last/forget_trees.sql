-- log/last/forget_trees: all of them; they are grown again from the beginning
delete from last_tree t where t.shard = $1
