-- log/last/read_newest: the newest tree of a platform
select t.position, t.accounts
from last_tree t
where t.shard = $1 and t.platform = $2
order by t.position desc
limit 1
