-- engine/webhook/take: leases due lanes until $5, at most as many per subscription as it has room. Lanes with the most
-- attempts come first: otherwise an unavailable receiver would never exhaust the attempts of any event while new events
-- arrive. Lanes that another process is leasing are skipped
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
