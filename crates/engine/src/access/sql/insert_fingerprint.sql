-- access/insert_fingerprint: registers a device of a user; a device that is registered already stays unchanged
insert into fingerprint (shard, user_id, fingerprint, created_at)
values ($1, $2, $3, $4)
on conflict (shard, user_id, fingerprint) do nothing
