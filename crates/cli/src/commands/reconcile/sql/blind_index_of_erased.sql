-- reconcile/blind_index_of_erased: erased users that the blind index still finds; event type 19 is the erasure of a
-- user
select distinct b.subject
  from event e
  join vault.blind_index b on b.shard = e.shard and b.subject = e.stream
 where e.shard = $1 and e.type = 19
