-- log/read_tree: the newest commit with the tree after it
select c.commit_no, c.last_position, c.recorded_at, c.root, c.frontier
from commit c
where c.shard = $1
order by c.commit_no desc
limit 1
