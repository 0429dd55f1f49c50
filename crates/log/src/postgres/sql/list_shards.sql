-- log/list_shards: the shards that have a row in this database, in order, and whether they have events
select s.shard, exists (select from commit c where c.shard = s.shard) as has_events
from shard s
order by s.shard
