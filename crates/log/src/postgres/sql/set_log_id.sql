-- log/set_log_id: gives an empty shard the identity of the log that will be copied into it
update shard
set log_id = $2
where shard = $1
