-- access/list_operators: all operators in order of creation, including revoked ones
select operator, name, created_at, revoked_at
from operator
order by operator
