-- log/read_head: newest commit with its root
select c.commit_no, c.last_position, c.recorded_at, c.root
from commit c
where c.shard = $1
order by c.commit_no desc
limit 1
