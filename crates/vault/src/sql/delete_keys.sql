-- vault/delete_keys: destroys the data keys of subjects, in all classes (crypto-shredding)
delete from vault.subject_key k
using unnest($2::uuid[]) as x (subject)
where k.shard = $1 and k.subject = x.subject
