-- reconcile/fingerprint: fingerprints whose user is not in the log
select t.user_id, t.created_at
  from fingerprint t
 where t.shard = $1 and not exists (select from users_v1 where shard = t.shard and id = t.user_id)
