-- vault/keep_tokens: by anything else a subject is not found any more
delete from vault.blind_index b
where b.shard = $1 and b.subject = $2 and b.token <> all($3::bytea[])
