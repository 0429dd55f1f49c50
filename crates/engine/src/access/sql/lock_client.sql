-- access/lock_client: the platform with this client id, while nobody else changes its secrets
select platform
from client_secret
where platform = (select platform from platform where client_id = $1) and secret_no = 1
for update
