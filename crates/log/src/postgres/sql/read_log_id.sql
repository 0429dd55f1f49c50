-- log/read_log_id: identity of the shard's log
select s.log_id
from shard s
where s.shard = $1
