-- access/revoke_operator: revokes an operator's credentials. An operator that is revoked already keeps the first time
-- of revocation; the caller checks the number of rows
update operator
set revoked_at = coalesce(revoked_at, $2)
where operator = $1
