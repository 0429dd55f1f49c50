-- engine/webhook/was_taken: whether a call to a subscription was taken since some id
select exists (
    select from webhook_attempt a
    where a.shard = $1 and a.subscription = $2 and a.id > $3 and a.outcome = 'taken'
)
