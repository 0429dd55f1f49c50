-- log/keep_checkpoint: inserts a checkpoint; a stored checkpoint of the same size stays unchanged
insert into checkpoint (shard, size, note, made_at)
select h.shard, $2::bigint, $3::text, $4::timestamptz
from shard h
where h.shard = $1
on conflict (shard, size) do nothing
