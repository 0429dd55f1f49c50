-- projector/rebuild/awaited: number of processes that reported within 30 seconds and do not know generation $2 yet
select count(*)
  from reader
 where shard = $1 and generation < $2 and at > now() - interval '30 seconds'
