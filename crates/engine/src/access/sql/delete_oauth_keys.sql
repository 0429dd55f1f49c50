-- access/delete_oauth_keys: the keys of some users go
delete from oauth_key
where shard = $1 and user_id = any($2::uuid[])
