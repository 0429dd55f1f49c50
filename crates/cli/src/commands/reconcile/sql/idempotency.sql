-- reconcile/idempotency: idempotency keys without a commit of their time, in the slot of another day, or for an object
-- that is not in the log
select encode(i.key, 'hex') as key, i.day_slot, i.recorded_at, i.object
  from idempotency i
 where i.shard = $1
   and (not exists (select from event where shard = $1 and stream = i.object and version = 1)
        or not exists (select from commit where shard = $1 and recorded_at = i.recorded_at)
        or i.day_slot <> floor(extract(epoch from i.recorded_at) / 86400)::bigint % 3)
