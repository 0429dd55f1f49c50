-- engine/webhook/begin: creates the webhook cursor at the head of the log; an existing cursor stays unchanged
insert into cursor (shard, name, position, commit_no)
select h.shard, 'webhooks', $2::bigint, $3::bigint
from shard h
where h.shard = $1
on conflict (shard, name) do nothing
