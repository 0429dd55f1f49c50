-- access/find_fingerprints
select fingerprint
from fingerprint
where shard = $1 and user_id = $2
