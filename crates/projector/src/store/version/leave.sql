-- projector/version/leave: a process that does not read any more
delete from reader
 where shard = $1 and process = $2
