-- log/raw_cursors: all cursors of the shard's log
select c.name, c.position, c.commit_no, c.at
from cursor c
where c.shard = $1
order by c.name
