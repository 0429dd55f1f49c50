-- log/raw_head: number of the newest commit, and the highest last position of the newest $2 commits
select c.commit_no, max(c.last_position) over () as last_position, c.recorded_at
from (
    select n.commit_no, n.last_position, n.recorded_at
    from commit n
    where n.shard = $1
    order by n.commit_no desc
    limit $2
) c
order by c.commit_no desc
limit 1
