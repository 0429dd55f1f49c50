-- shard/named_shards: shards that a platform or a state names
select p.shard from platform p
union
select t.shard from shard_state t
order by shard
