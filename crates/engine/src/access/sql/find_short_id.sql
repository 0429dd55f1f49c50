-- access/find_short_id: the platform with this short id, or one beside it, so that what nobody has is as long in coming
select platform, shard, short_id, name, client_id, secret_hash, sealed_secret, sandbox, user_id, reserve_id, created_at
from platform
where short_id >= least($1, (select max(short_id) from platform))
order by short_id
limit 1
