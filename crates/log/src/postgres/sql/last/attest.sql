-- log/last/attest: the event that commits to a tree
update last_tree t
set attested = $4
where t.shard = $1 and t.platform = $2 and t.position = $3 and t.attested is null
