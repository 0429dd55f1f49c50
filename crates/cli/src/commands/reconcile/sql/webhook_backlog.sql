-- reconcile/webhook_backlog: backlogs whose subscription is not in the log, or whose position is outside the log
select b.subscription, b.position
  from webhook_backlog b
 where b.shard = $1
   and (not exists (select from subscriptions_v1 where shard = $1 and id = b.subscription)
        or b.position not between 0 and (select max(position) from event where shard = $1))
