-- access/insert_platform: stores a new platform; a trigger adds its secret to the table of secrets. An existing
-- platform with the same client id stays unchanged; the caller reads the stored platform afterwards
insert into platform
    (platform, shard, short_id, name, client_id, secret_hash, sealed_secret, sandbox, user_id, reserve_id, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (client_id) do nothing
