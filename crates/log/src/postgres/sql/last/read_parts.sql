-- log/last/read_parts: the next parts of a tree, in order of the accounts
select p.first, p.part, p.entries
from last_part p
where p.shard = $1 and p.platform = $2 and p.position = $3 and ($4::uuid is null or p.first > $4)
order by p.first
limit $5
