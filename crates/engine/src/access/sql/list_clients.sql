-- access/list_clients: all platforms in order of creation, one row per secret with its creation, expiry and revocation
select p.platform, p.name, p.client_id, p.sandbox, p.user_id, p.created_at,
       s.secret_no, s.created_at as secret_created_at, s.good_until, s.revoked_at
from platform p
join client_secret s on s.platform = p.platform
order by p.platform, s.secret_no
