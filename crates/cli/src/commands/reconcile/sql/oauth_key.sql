-- reconcile/oauth_key: whose it is is a user of the log
select t.user_id, t.scopes, t.expires_at
  from oauth_key t
 where t.shard = $1 and not exists (select from users_v1 where shard = t.shard and id = t.user_id)
