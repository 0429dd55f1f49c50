-- log/read_checkpoints: next checkpoints above a size, in order of size
select c.size, c.note
from checkpoint c
where c.shard = $1 and c.size > $2
order by c.size
limit $3
