-- access/find_operator: operator with this id that is not revoked, or else a neighbouring operator. An unknown id reads
-- as much as a known one, so the response time does not reveal which exist. The caller compares the hash of the secret
select operator, name, created_at, secret_hash
from operator
where revoked_at is null
  and operator >= least($1, (
      select operator from operator where revoked_at is null order by operator desc limit 1))
order by operator
limit 1
