-- log/read_last_checkpoint: newest checkpoint
select c.size, c.note
from checkpoint c
where c.shard = $1
order by c.size desc
limit 1
