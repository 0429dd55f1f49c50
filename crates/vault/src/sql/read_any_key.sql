-- vault/read_any_key: one data key of class profile: that of the oldest subject
select k.subject, k.wrapped
from vault.subject_key k
where k.shard = $1 and k.class = 1
order by k.subject
limit 1
