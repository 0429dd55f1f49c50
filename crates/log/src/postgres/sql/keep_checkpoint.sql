-- log/keep_checkpoint: a checkpoint; who comes second with the same size changes nothing
insert into checkpoint (shard, size, note, made_at)
select h.shard, $2::bigint, $3::text, $4::timestamptz
from shard h
where h.shard = $1
on conflict (shard, size) do nothing
