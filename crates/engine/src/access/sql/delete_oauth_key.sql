-- access/delete_oauth_key: deletes an OAuth key; no row if it is gone already
delete from oauth_key
where shard = $1 and key_hash = $2
