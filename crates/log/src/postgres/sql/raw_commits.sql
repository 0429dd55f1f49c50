-- log/raw_commits: next commits by number with all columns, unchecked; numbers may have gaps in a damaged table
select c.commit_no, c.batch, c.writer, c.last_position, c.recorded_at, c.root, c.signature, c.frontier
from commit c
where c.shard = $1 and c.commit_no > $2
order by c.commit_no
limit $3
