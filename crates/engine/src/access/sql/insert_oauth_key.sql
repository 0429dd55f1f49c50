-- access/insert_oauth_key: stores a new OAuth key
insert into oauth_key (shard, key_hash, user_id, scopes, expires_at, fingerprint, secret_no)
values ($1, $2, $3, $4, $5, $6, $7)
