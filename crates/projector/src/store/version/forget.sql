-- projector/version/forget: processes that were silent for a day
delete from reader
 where shard = $1 and at < now() - interval '1 day'
