-- engine/webhook/take: lanes that are due, so many of each subscription; they are ours until $5. What was tried most often
-- comes first: else a receiver that takes nothing would never come to the end of any call while more happens
with due as (
    select d.subscription, d.record
    from unnest($2::uuid[], $3::integer[]) as s (id, room)
    cross join lateral (
        select l.subscription, l.record
        from webhook_lane l
        where l.shard = $1 and l.subscription = s.id and l.due_at <= $4
        order by l.attempts desc, l.due_at
        limit s.room
        for update skip locked
    ) d
)
update webhook_lane l
set due_at = $5
from due
where l.shard = $1 and l.subscription = due.subscription and l.record = due.record
returning l.subscription, l.record, l.version, l.last, l.attempts
