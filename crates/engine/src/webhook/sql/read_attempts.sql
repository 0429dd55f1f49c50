-- engine/webhook/read_attempts: newest delivery attempts of subscriptions before the id $3, newest first
select a.subscription, a.id, a.position, a.event_id, a.attempt, a.outcome, a.status, a.took_ms, a.sealed
from unnest($2::uuid[]) as s (id)
cross join lateral (
    select *
    from webhook_attempt
    where shard = $1 and subscription = s.id and ($3::uuid is null or id < $3)
    order by id desc
    limit $4
) a
order by a.id desc
limit $4
