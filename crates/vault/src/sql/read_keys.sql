-- vault/read_keys: the wrapped data keys of some subjects
select k.subject, k.class, k.wrapped
from unnest($2::uuid[]) as x (subject)
join vault.subject_key k on k.shard = $1 and k.subject = x.subject
