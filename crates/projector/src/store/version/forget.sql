-- projector/version/forget: deletes processes that did not report for a day
delete from reader
 where shard = $1 and at < now() - interval '1 day'
