-- vault/delete_keys: destroys the data keys of some subjects, of every class
delete from vault.subject_key k
using unnest($2::uuid[]) as x (subject)
where k.shard = $1 and k.subject = x.subject
