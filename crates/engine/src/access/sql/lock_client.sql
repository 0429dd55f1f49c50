-- access/lock_client: locks the secrets of the platform with this client id, by the row of its first secret; no row if
-- there is no such client
select platform
from client_secret
where platform = (select platform from platform where client_id = $1) and secret_no = 1
for update
