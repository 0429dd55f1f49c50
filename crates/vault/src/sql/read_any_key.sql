-- vault/read_any_key: a data key of anybody, class profile: the oldest subject's
select k.shard, k.subject, k.wrapped
from vault.subject_key k
where k.class = 1
order by k.shard, k.subject
limit 1
