-- log/lock_shards: waits until no other transaction adds a shard. Appends, which lock single rows, go on
lock table shard in share row exclusive mode
