-- engine/webhook/full: subscriptions with $3 or more lanes that were never tried
select s.id
from unnest($2::uuid[]) as s (id)
where $3 <= (
    select count(*)
    from (
        select
        from webhook_lane l
        where l.shard = $1 and l.subscription = s.id and l.attempts = 0
        limit $3
    ) untried
)
