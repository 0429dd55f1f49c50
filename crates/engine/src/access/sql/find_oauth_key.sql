-- access/find_oauth_key: OAuth key with the hash $2; no row if there is none
select k.user_id, k.scopes, k.expires_at, k.fingerprint, coalesce(k.secret_no, 1) as secret_no
from oauth_key k
where k.shard = $1 and k.key_hash = $2
