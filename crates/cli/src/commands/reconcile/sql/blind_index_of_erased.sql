-- reconcile/blind_index_of_erased: what persons who were erased are found by
select distinct b.subject
  from event e
  join vault.blind_index b on b.shard = e.shard and b.subject = e.stream
 where e.shard = $1 and e.type = 19
