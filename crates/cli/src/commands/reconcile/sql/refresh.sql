-- reconcile/refresh: refresh tokens whose user is not in the log
select t.user_id, generation
  from refresh t
 where t.shard = $1 and not exists (select from users_v1 where shard = t.shard and id = t.user_id)
