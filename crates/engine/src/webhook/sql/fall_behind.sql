-- engine/webhook/fall_behind: sets a backlog for subscriptions: their events after a position are delivered later, or
-- again. An earlier backlog stays unchanged
insert into webhook_backlog as b (shard, subscription, position)
select h.shard, x.subscription, $3::bigint
from shard h
cross join unnest($2::uuid[]) as x (subscription)
where h.shard = $1
on conflict (shard, subscription) do update
set position = least(b.position, excluded.position)
