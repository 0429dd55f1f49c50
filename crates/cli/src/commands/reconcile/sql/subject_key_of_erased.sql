-- reconcile/subject_key_of_erased: erased users that still have a data key; event type 19 is the erasure of a user
select distinct k.subject
  from event e
  join vault.subject_key k on k.shard = e.shard and k.subject = e.stream
 where e.shard = $1 and e.type = 19
