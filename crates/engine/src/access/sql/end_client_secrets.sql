-- access/end_client_secrets: the secrets of a platform but the newest end, unless they end before
update client_secret
set good_until = $3
where platform = $1 and secret_no <> $2
  and revoked_at is null and (good_until is null or good_until > $3)
