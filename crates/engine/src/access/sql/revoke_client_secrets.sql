-- access/revoke_client_secrets: one of a client's secrets opens nothing from now on, or none of them does; the first time
-- counts
update client_secret
set revoked_at = coalesce(revoked_at, $3)
where platform = (select platform from platform where client_id = $1) and ($2::integer is null or secret_no = $2)
returning secret_no
