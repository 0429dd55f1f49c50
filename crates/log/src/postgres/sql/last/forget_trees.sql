-- log/last/forget_trees: deletes all trees of last entries; they are grown again from the first event
delete from last_tree t where t.shard = $1
