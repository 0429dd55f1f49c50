-- log/lock_tiles: until the transaction ends nobody else fills or mends tiles of the shard; its writer waits for one such write
select h.shard from shard h where h.shard = $1 for no key update
