-- access/delete_oauth_key: a key ends
delete from oauth_key
where shard = $1 and key_hash = $2
