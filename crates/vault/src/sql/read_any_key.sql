-- vault/read_any_key: a data key of anybody, class profile: the oldest subject's
select k.subject, k.wrapped
from vault.subject_key k
where k.shard = $1 and k.class = 1
order by k.subject
limit 1
