-- vault/read_keys_after: a batch of the data keys that are behind a place in their order
select k.subject, k.class, k.wrapped, k.master is not distinct from $4 as is_current
from vault.subject_key k
where k.shard = $1 and (k.subject, k.class) > ($2, $3)
order by k.subject, k.class
limit $5
