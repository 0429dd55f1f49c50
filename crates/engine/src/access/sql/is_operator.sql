-- access/is_operator: whether there is an operator with this id whose credentials are good
select exists (select from operator where operator = $1 and revoked_at is null)
