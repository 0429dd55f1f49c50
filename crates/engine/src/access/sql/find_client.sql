-- access/find_client: the platform with this client id, or one beside it, so that what nobody has is as long in coming
select platform, shard, short_id, name, client_id, secret_hash, sealed_secret, sandbox, user_id, reserve_id, created_at
from platform
where client_id >= least($1, (select max(client_id) from platform))
order by client_id
limit 1
