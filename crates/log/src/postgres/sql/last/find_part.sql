-- log/last/find_part: part of a tree that contains an account, if the account is in the tree
select p.part, p.entries
from last_part p
where p.shard = $1 and p.platform = $2 and p.position = $3 and p.first <= $4
order by p.first desc
limit 1
