-- access/end_client_secrets: sets the expiry of all secrets of a platform except number $2, unless they are revoked or
-- expire earlier
update client_secret
set good_until = $3
where platform = $1 and secret_no <> $2
  and revoked_at is null and (good_until is null or good_until > $3)
