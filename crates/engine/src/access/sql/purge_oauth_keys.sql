-- access/purge_oauth_keys: forgets a page of the keys that are expired
delete from oauth_key
where shard = $1 and key_hash in (
    select key_hash from oauth_key where shard = $1 and expires_at < $2 limit 5000)
