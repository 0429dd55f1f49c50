-- access/is_operator: true if the operator exists and is not revoked
select exists (select from operator where operator = $1 and revoked_at is null)
