-- projector/rebuild/awaited: how many processes that spoke lately do not know of a change
select count(*)
  from reader
 where shard = $1 and generation < $2 and at > now() - interval '30 seconds'
