-- log/purge_keys: forgets the keys of one page of a slot that stopped to count long ago
delete from idempotency i
where i.shard = $1 and i.day_slot = $2 and i.key > $3 and i.key <= $4 and i.recorded_at <= $5
