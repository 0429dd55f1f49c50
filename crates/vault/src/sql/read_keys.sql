-- vault/read_keys: wrapped data keys of subjects
select k.subject, k.class, k.wrapped
from unnest($2::uuid[]) as x (subject)
cross join lateral (
    select subject, class, wrapped from vault.subject_key where shard = $1 and subject = x.subject offset 0
) k
