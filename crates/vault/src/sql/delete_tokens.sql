-- vault/delete_tokens: deletes blind-index tokens of a subject
delete from vault.blind_index b
where b.shard = $1 and b.subject = $2 and b.token = any($3::bytea[])
