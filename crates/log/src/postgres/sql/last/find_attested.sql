-- log/last/find_attested: position of any attestation of a platform up to position $2. The number of the event type,
-- 110, is a constant so that the planner uses the partial index of that type
select e.position
from event e
where e.shard = $1 and e.type = 110 and e.position <= $2 and e.platform = $3
limit 1
