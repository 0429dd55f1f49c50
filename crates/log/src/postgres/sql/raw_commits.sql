-- log/raw_commits: the next commits, every column; by number, which may have holes where somebody made them
select c.commit_no, c.batch, c.writer, c.last_position, c.recorded_at, c.root, c.signature, c.frontier
from commit c
where c.shard = $1 and c.commit_no > $2
order by c.commit_no
limit $3
