-- access/find_fingerprints: fingerprints of a user's registered devices
select fingerprint
from fingerprint
where shard = $1 and user_id = $2
