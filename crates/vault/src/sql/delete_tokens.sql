-- vault/delete_tokens: what a subject is not found by any more
delete from vault.blind_index b
where b.shard = $1 and b.subject = $2 and b.token = any($3::bytea[])
