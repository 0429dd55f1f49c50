-- vault/insert_tokens: what a subject can be found by from now on, too; nothing if its keys are gone, and while they are
-- being destroyed it is waited for that
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
