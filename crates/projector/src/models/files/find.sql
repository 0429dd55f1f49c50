-- projector/files/find: position of the event that cut a file
select position
  from files_v1
 where shard = $1 and custody = $2 and file = $3
