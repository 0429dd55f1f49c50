-- log/read_root: what a commit says that the log is
select c.root
from commit c
where c.shard = $1 and c.commit_no = $2
