-- vault/read_keys: the wrapped data keys of some subjects
select k.subject, k.class, k.wrapped
from vault.subject_key k
where k.shard = $1 and k.subject = any($2::uuid[])
