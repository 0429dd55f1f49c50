-- access/delete_refresh: deletes the refresh-token generations of users
delete from refresh
where shard = $1 and user_id = any($2::uuid[])
