-- log/last/read_parts: next parts of a tree after the account $4, in order of accounts
select p.first, p.part, p.entries
from last_part p
where p.shard = $1 and p.platform = $2 and p.position = $3 and ($4::uuid is null or p.first > $4)
order by p.first
limit $5
