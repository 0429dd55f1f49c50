-- bench/life: number of transactions that were created and settled after a position, and the end of the log
select count(*) filter (where type = $3) as created, count(*) filter (where type = $4) as settled,
       coalesce(max(position), $2) as position
  from event
 where shard = $1 and position > $2
