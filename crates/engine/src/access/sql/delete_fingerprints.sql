-- access/delete_fingerprints: deletes the fingerprints of users
delete from fingerprint
where shard = $1 and user_id = any($2::uuid[])
