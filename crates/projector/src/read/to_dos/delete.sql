-- to_dos.delete: what was to be done by one process before a page of the log and is not any more.
delete from to_dos_v1
 where shard = $1 and process = $2 and id = any($3)
