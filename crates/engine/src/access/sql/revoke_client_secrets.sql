-- access/revoke_client_secrets: revokes one secret of a client, or all of them if $2 is null, and returns their
-- numbers. A secret that is revoked already keeps its first time of revocation
update client_secret
set revoked_at = coalesce(revoked_at, $3)
where platform = (select platform from platform where client_id = $1) and ($2::integer is null or secret_no = $2)
returning secret_no
