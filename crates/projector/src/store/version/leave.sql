-- projector/version/leave: deletes a process that stops reading
delete from reader
 where shard = $1 and process = $2
