-- access/insert_fingerprint: a device of a user; one that is known already stays
insert into fingerprint (shard, user_id, fingerprint, created_at)
values ($1, $2, $3, $4)
on conflict (shard, user_id, fingerprint) do nothing
