-- vault/delete_all_tokens: deletes all blind-index tokens of subjects
delete from vault.blind_index b
where b.shard = $1 and b.subject = any($2::uuid[])
