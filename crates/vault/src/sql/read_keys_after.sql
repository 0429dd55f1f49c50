-- vault/read_keys_after: next batch of data keys, by subject and class; is_current is true for keys wrapped under the
-- master key $4
select k.subject, k.class, k.wrapped, k.master is not distinct from $4 as is_current
from vault.subject_key k
where k.shard = $1 and (k.subject, k.class) > ($2, $3)
order by k.subject, k.class
limit $5
