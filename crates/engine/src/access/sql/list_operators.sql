-- access/list_operators: all operators in the order of their making, those that were revoked too
select operator, name, created_at, revoked_at
from operator
order by operator
