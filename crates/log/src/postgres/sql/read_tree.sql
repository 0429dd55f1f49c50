-- log/read_tree: newest commit with its tree, and the root of the commit $2, which the caller compares with the root
-- that it knows
select c.commit_no, c.last_position, c.recorded_at, c.root, c.frontier, k.root as known_root
from commit c
left join commit k on k.shard = c.shard and k.commit_no = $2
where c.shard = $1
order by c.commit_no desc
limit 1
