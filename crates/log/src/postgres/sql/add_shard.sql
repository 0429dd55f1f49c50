-- log/add_shard: adds a shard with the id of its log
insert into shard (shard, log_id)
values ($1, $2)
