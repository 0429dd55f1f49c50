-- reconcile/blind_index: whom it finds is a user of the log
select distinct b.subject
  from vault.blind_index b
 where b.shard = $1 and not exists (select from users_v1 where shard = b.shard and id = b.subject)
