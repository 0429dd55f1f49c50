-- access/insert_platform: a new platform, whose secret a trigger adds to the list; one that has the client id already stays
insert into platform
    (platform, shard, short_id, name, client_id, secret_hash, sealed_secret, sandbox, user_id, reserve_id, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (client_id) do nothing
