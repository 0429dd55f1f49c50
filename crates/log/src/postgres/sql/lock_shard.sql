-- log/lock_shard: takes the fence; what it protects is read by later statements, which see what its last holder did
select s.shard
from shard s
where s.shard = $1
for update
