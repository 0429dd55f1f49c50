-- access/find_operator: the operator with this id whose credentials are good, or one beside it, so that what nobody has is as
-- long in coming
select operator, name, created_at, secret_hash
from operator
where revoked_at is null
  and operator >= least($1, (
      select operator from operator where revoked_at is null order by operator desc limit 1))
order by operator
limit 1
