-- bench/select: a transaction by its id
select state
  from transactions_v1
 where shard = $1 and id = $2
