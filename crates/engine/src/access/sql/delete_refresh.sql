-- access/delete_refresh: the generations of tokens of some users go
delete from refresh
where shard = $1 and user_id = any($2::uuid[])
