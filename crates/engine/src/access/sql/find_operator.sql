-- access/find_operator: one operator whose credentials are good
select operator, name, created_at, secret_hash
from operator
where operator = $1 and revoked_at is null
