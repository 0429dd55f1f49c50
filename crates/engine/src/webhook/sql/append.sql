-- engine/webhook/append: adds events to lanes. A lane that is past these events is rewound to them, and its attempts
-- start again
insert into webhook_lane as l (shard, subscription, record, version, last, attempts, due_at)
select h.shard, x.subscription, x.record, x.version, x.last, 0, $6::timestamptz
from shard h
cross join unnest($2::uuid[], $3::uuid[], $4::integer[], $5::integer[]) as x (subscription, record, version, last)
where h.shard = $1
on conflict (shard, subscription, record) do update
set last = greatest(l.last, excluded.last),
    version = least(l.version, excluded.version),
    attempts = case when excluded.version < l.version then 0 else l.attempts end,
    due_at = case when excluded.version < l.version then excluded.due_at else l.due_at end
