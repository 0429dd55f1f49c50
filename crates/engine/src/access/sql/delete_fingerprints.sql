-- access/delete_fingerprints: the devices of some users go
delete from fingerprint
where shard = $1 and user_id = any($2::uuid[])
