-- log/set_log_id: an empty shard takes the identity of the log that is copied into it
update shard
set log_id = $2
where shard = $1
