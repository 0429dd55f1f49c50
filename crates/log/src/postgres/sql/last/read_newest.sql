-- log/last/read_newest: position and number of accounts of a platform's newest tree
select t.position, t.accounts
from last_tree t
where t.shard = $1 and t.platform = $2
order by t.position desc
limit 1
