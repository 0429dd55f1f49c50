-- log/list_shards: the shards in this database, in order
select s.shard
from shard s
order by s.shard
