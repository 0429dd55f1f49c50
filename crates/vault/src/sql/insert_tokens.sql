-- vault/insert_tokens: what a subject can be found by from now on, too
insert into vault.blind_index (shard, token, subject)
select h.shard, x.token, $2
from shard h, unnest($3::bytea[]) as x (token)
where h.shard = $1
on conflict (shard, token, subject) do nothing
