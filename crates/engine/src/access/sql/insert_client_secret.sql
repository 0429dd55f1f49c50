-- access/insert_client_secret: adds a secret to a platform and returns its number. The caller holds the lock of
-- access/lock_client, so no number is taken twice
insert into client_secret (platform, secret_no, secret_hash, sealed_secret, created_at)
select $1, (select max(secret_no) + 1 from client_secret where platform = $1), $2, $3, $4
returning secret_no
