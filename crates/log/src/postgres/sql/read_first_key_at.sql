-- log/read_first_key_at: since when the shard has a key that signs
select min(k.since) as since
from signing_key k
where k.shard = $1
