-- bench/created: number of transactions that begin after a position
select count(*)
  from event
 where shard = $1 and position > $2 and stream_kind = $3 and version = 1
