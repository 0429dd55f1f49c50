-- engine/webhook/purge: deletes a page of the delivery attempts with ids before $2; the caller repeats it until no row
-- is deleted
delete from webhook_attempt a
where a.shard = $1 and (a.subscription, a.id) in (
    select o.subscription, o.id from webhook_attempt o where o.shard = $1 and o.id < $2 limit $3
)
