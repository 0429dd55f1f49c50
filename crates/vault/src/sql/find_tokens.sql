-- vault/find_tokens: page of the subjects with a blind-index token, oldest first, with their total
with found as materialized (select subject from vault.blind_index where shard = $1 and token = $2)
select (select count(*) from found) as total, p.subject
from (select 1) as one
left join lateral (select subject from found order by subject offset $3 limit $4) as p on true
order by p.subject
