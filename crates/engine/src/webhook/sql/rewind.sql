-- engine/webhook/rewind: events to be told once more, and all that came after them
insert into webhook_lane as l (shard, subscription, record, version, last, attempts, due_at)
select h.shard, x.subscription, x.record, x.version, x.last, 0, $6::timestamptz
from shard h
cross join unnest($2::uuid[], $3::uuid[], $4::integer[], $5::integer[]) as x (subscription, record, version, last)
where h.shard = $1
on conflict (shard, subscription, record) do update
set version = least(l.version, excluded.version), last = greatest(l.last, excluded.last), attempts = 0,
    due_at = excluded.due_at
