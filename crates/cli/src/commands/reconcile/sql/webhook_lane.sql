-- reconcile/webhook_lane: lanes whose subscription or last event is not in the log, or whose next version is out of
-- range
select l.subscription, l.record, l.version, l.last
  from webhook_lane l
 where l.shard = $1
   and (not exists (select from subscriptions_v1 where shard = $1 and id = l.subscription)
        or not exists (select from event where shard = $1 and stream = l.record and version = l.last)
        or l.version not between 1 and l.last + 1)
