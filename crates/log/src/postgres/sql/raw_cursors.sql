-- log/raw_cursors: how far each reader of the log has come
select c.name, c.position, c.commit_no, c.at
from cursor c
where c.shard = $1
order by c.name
