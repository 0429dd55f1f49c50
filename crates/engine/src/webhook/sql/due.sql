-- engine/webhook/due: number of due lanes of each subscription, at most its room; no row for a subscription without due
-- lanes
select s.id, d.lanes
from unnest($2::uuid[], $3::integer[]) as s (id, room)
cross join lateral (
    select count(*)::integer as lanes
    from (
        select
        from webhook_lane l
        where l.shard = $1 and l.subscription = s.id and l.due_at <= $4
        limit s.room
    ) found
) d
where d.lanes > 0
