-- log/read_log_id: which log a shard is
select s.log_id
from shard s
where s.shard = $1
