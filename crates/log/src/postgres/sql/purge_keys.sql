-- log/purge_keys: deletes the expired idempotency keys of one page of a slot: those recorded at or before $5
delete from idempotency i
where i.shard = $1 and i.day_slot = $2 and i.key > $3 and i.key <= $4 and i.recorded_at <= $5
