-- vault/delete_keys: destroys the data keys of some subjects, of every class
delete from vault.subject_key k
where k.shard = $1 and k.subject = any($2::uuid[])
