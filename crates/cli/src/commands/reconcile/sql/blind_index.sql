-- reconcile/blind_index: subjects in the blind index that are not users of the log; a refused call may have left them
select distinct b.subject
  from vault.blind_index b
 where b.shard = $1 and not exists (select from users_v1 where shard = b.shard and id = b.subject)
