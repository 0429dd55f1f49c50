-- reconcile/subject_key_of_erased: keys of persons who were erased
select distinct k.subject
  from event e
  join vault.subject_key k on k.shard = e.shard and k.subject = e.stream
 where e.shard = $1 and e.type = 19
