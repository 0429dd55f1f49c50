-- vault/delete_all_tokens: some subjects are found by nothing any more
delete from vault.blind_index b
where b.shard = $1 and b.subject = any($2::uuid[])
