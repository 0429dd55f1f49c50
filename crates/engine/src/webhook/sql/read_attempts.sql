-- engine/webhook/read_attempts: attempts of some subscriptions, the newest first
select a.subscription, a.id, a.position, a.event_id, a.attempt, a.outcome, a.status, a.took_ms, a.sealed
from unnest($2::uuid[]) as s (id)
join webhook_attempt a on a.shard = $1 and a.subscription = s.id and ($3::uuid is null or a.id < $3)
order by a.id desc
limit $4
