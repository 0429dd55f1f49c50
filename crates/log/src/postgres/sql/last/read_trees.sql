-- log/last/read_trees: all stored trees of last entries
select t.platform, t.position, t.accounts, t.roots, t.attested
from last_tree t
where t.shard = $1
order by t.platform, t.position
