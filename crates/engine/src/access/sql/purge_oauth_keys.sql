-- access/purge_oauth_keys: deletes a page of at most 5,000 expired OAuth keys
delete from oauth_key
where shard = $1 and key_hash in (
    select key_hash from oauth_key where shard = $1 and expires_at < $2 limit 5000)
