-- access/insert_client_secret: a further secret of a platform whose secrets are locked
insert into client_secret (platform, secret_no, secret_hash, sealed_secret, created_at)
select $1, (select max(secret_no) + 1 from client_secret where platform = $1), $2, $3, $4
returning secret_no
