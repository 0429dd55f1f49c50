-- log/read_tree: the newest commit with the tree after it, and what the log was said to be at another one
select c.commit_no, c.last_position, c.recorded_at, c.root, c.frontier, k.root as known_root
from commit c
left join commit k on k.shard = c.shard and k.commit_no = $2
where c.shard = $1
order by c.commit_no desc
limit 1
