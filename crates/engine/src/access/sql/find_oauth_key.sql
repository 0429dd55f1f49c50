-- access/find_oauth_key: whose key a hash is of
select user_id, scopes, expires_at
from oauth_key
where shard = $1 and key_hash = $2
