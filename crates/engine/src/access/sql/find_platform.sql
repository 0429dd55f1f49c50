-- access/find_platform: one platform by its id or its client id
select platform, shard, short_id, name, client_id, secret_hash, sealed_secret, sandbox, user_id, reserve_id, created_at
from platform
where platform = $1 or client_id = $2
