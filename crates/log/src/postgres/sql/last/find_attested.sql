-- log/last/find_attested: an attestation of a platform up to a position; by the index of their type, number 110
select e.position
from event e
where e.shard = $1 and e.type = 110 and e.position <= $2 and e.platform = $3
limit 1
