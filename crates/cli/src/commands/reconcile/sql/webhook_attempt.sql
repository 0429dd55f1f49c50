-- reconcile/webhook_attempt: delivery attempts whose event or subscription is not in the log
select a.id, a.subscription, a.position, a.event_id
  from webhook_attempt a
 where a.shard = $1
   and (not exists (select from subscriptions_v1 where shard = $1 and id = a.subscription)
        or not exists (
            select from event where shard = $1 and position = a.position and event_id = a.event_id
        ))
