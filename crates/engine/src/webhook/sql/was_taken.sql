-- engine/webhook/was_taken: true if a subscription accepted a delivery after the id $3
select exists (
    select from webhook_attempt a
    where a.shard = $1 and a.subscription = $2 and a.id > $3 and a.outcome = 'taken'
)
