-- log/read_checkpoints: checkpoints from a size on
select c.size, c.note
from checkpoint c
where c.shard = $1 and c.size > $2
order by c.size
limit $3
