-- access/find_refresh: the generations of some users' refresh tokens
select user_id, generation
from refresh
where shard = $1 and user_id = any($2)
