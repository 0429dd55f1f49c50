-- log/add_shard: adds the next shard with the id of its log; no row if that is one shard more than $2 permits. The caller
-- holds a lock that keeps others from adding one
insert into shard (shard, log_id)
select max(s.shard) + 1, $1
from shard s
having max(s.shard) < $2
returning shard
