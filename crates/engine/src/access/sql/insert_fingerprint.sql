-- access/insert_fingerprint
insert into fingerprint (shard, user_id, fingerprint, created_at)
values ($1, $2, $3, $4)
on conflict (shard, user_id, fingerprint) do nothing
