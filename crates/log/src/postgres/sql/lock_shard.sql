-- log/lock_shard: locks the shard's row, which fences off all other writers. The caller reads the protected rows in
-- later statements: a snapshot taken after the lock was granted contains the commit of its previous holder
select s.shard
from shard s
where s.shard = $1
for update
