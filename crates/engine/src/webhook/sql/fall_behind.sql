-- engine/webhook/fall_behind: subscriptions are told of what is behind a position later, or once more
insert into webhook_backlog as b (shard, subscription, position)
select h.shard, x.subscription, $3::bigint
from shard h
cross join unnest($2::uuid[]) as x (subscription)
where h.shard = $1
on conflict (shard, subscription) do update
set position = least(b.position, excluded.position)
