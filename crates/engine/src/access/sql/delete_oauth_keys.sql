-- access/delete_oauth_keys: deletes the OAuth keys of users
delete from oauth_key
where shard = $1 and user_id = any($2::uuid[])
