-- log/lock_tiles: locks the shard's row against other processes that fill or repair tiles. The lock also blocks the
-- writer, for the time of one such write
select h.shard from shard h where h.shard = $1 for no key update
