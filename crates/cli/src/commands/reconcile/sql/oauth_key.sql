-- reconcile/oauth_key: OAuth keys whose user is not in the log
select t.user_id, t.scopes, t.expires_at
  from oauth_key t
 where t.shard = $1 and not exists (select from users_v1 where shard = t.shard and id = t.user_id)
