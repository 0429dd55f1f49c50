-- access/revoke_operator: an operator's credentials open nothing from now on; the first time counts
update operator
set revoked_at = coalesce(revoked_at, $2)
where operator = $1
