-- reconcile/platform_at_home: platforms of the shard
select p.platform, p.name, p.sandbox, p.user_id, p.reserve_id
  from platform p
 where p.shard = $1
