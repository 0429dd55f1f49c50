-- access/find_refresh
select user_id, generation
from refresh
where shard = $1 and user_id = any($2)
