-- log/read_key_page: last key of the next full page of a slot; no row on the last page
select i.key
from idempotency i
where i.shard = $1 and i.day_slot = $2 and i.key > $3
order by i.key
offset $4 limit 1
