-- log/read_commit: whose commit a number is
select c.batch, c.commit_no, c.last_position, c.recorded_at
from commit c
where c.shard = $1 and c.commit_no = $2
