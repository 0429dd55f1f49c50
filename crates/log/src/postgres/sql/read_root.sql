-- log/read_root: root of a commit
select c.root
from commit c
where c.shard = $1 and c.commit_no = $2
