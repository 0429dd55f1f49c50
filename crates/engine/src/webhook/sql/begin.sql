-- engine/webhook/begin: from where events are told, if nobody has said so yet: from the end of the log on
insert into cursor (shard, name, position, commit_no)
select h.shard, 'webhooks', $2::bigint, $3::bigint
from shard h
where h.shard = $1
on conflict (shard, name) do nothing
