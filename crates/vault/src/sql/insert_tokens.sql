-- vault/insert_tokens: inserts blind-index tokens of a subject; no row if the subject has no data key. The key-share
-- lock on the data keys waits for a running erasure, so no token outlives the keys
insert into vault.blind_index (shard, token, subject)
with owner as materialized (
    select k.subject
    from vault.subject_key k
    where k.shard = $1 and k.subject = $2
    for key share
)
select h.shard, x.token, $2
from shard h, unnest($3::bytea[]) as x (token)
where h.shard = $1 and exists (select from owner)
on conflict (shard, token, subject) do nothing
