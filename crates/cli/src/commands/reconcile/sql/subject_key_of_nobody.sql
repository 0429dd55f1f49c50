-- reconcile/subject_key_of_nobody: keys of persons whom the log does not have
select distinct k.subject
  from vault.subject_key k
 where k.shard = $1 and not exists (select from users_v1 where shard = k.shard and id = k.subject)
