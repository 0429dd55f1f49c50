-- log/read_first_key_at: time since which the shard has a signing key; null if it has none
select min(k.since) as since
from signing_key k
where k.shard = $1
