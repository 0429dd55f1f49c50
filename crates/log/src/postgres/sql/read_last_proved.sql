-- log/read_last_proved: newest commit that has a tree
select c.commit_no, c.last_position, c.recorded_at, c.root, c.frontier
from commit c
where c.shard = $1 and c.frontier is not null
order by c.commit_no desc
limit 1
