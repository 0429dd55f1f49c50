-- reconcile/subject_key_of_nobody: subjects with a data key that are not users of the log; a refused call may have left
-- them
select distinct k.subject
  from vault.subject_key k
 where k.shard = $1 and not exists (select from users_v1 where shard = k.shard and id = k.subject)
