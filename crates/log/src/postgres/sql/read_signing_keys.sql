-- log/read_signing_keys: all public keys that ever signed, newest first
select k.public_key
from signing_key k
where k.shard = $1
order by k.since desc, k.public_key
