-- log/last/read_attested: newest attested tree of a platform
select t.position, t.accounts, t.roots, t.attested
from last_tree t
where t.shard = $1 and t.platform = $2 and t.attested is not null
order by t.position desc
limit 1
