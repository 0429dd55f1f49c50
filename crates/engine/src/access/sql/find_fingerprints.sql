-- access/find_fingerprints: the devices of a user
select fingerprint
from fingerprint
where shard = $1 and user_id = $2
