-- reconcile/subject_key: users of the log without a data key of each class, except erased users; event type 19 is the
-- erasure of a user
select u.id as subject, c.class
  from users_v1 u
 cross join (values (1::smallint), (2::smallint)) c (class)
 where u.shard = $1
   and not exists (
       select from vault.subject_key where shard = u.shard and subject = u.id and class = c.class)
   and not exists (select from event e where e.shard = u.shard and e.stream = u.id and e.type = 19)
