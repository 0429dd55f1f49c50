-- log/read_commit: the commit with a given number
select c.batch, c.commit_no, c.last_position, c.recorded_at
from commit c
where c.shard = $1 and c.commit_no = $2
