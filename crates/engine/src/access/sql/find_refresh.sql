-- access/find_refresh: refresh-token generations of users; a user without a row has generation 1
select user_id, generation
from refresh
where shard = $1 and user_id = any($2)
