-- vault/update_keys: rewraps data keys under another master key. A key that was destroyed or rewrapped meanwhile stays
-- unchanged; the number of rows is the number of rewrapped keys
update vault.subject_key k
set wrapped = x.now, master = $6
from unnest($2::uuid[], $3::smallint[], $4::bytea[], $5::bytea[]) as x (subject, class, before, now)
where k.shard = $1 and k.subject = x.subject and k.class = x.class and k.wrapped = x.before
