-- log/fill_tiles: new tiles, and hashes that come behind those of a tile that is not full, which has $4 bytes before. Who
-- comes second with the same changes nothing
insert into tile as t (shard, level, n, hashes)
select h.shard, x.level, x.n, coalesce(o.hashes, '') || x.hashes
from shard h
cross join unnest($2::smallint[], $3::bigint[], $4::integer[], $5::bytea[]) as x (level, n, begins, hashes)
left join tile o on o.shard = h.shard and o.level = x.level and o.n = x.n
where h.shard = $1 and coalesce(length(o.hashes), 0) = x.begins
on conflict (shard, level, n) do update
set hashes = excluded.hashes
where length(excluded.hashes) > length(t.hashes)
