-- log/mend_tiles: replaces tiles that differ from those computed from the events, or from the level below. The caller
-- holds the lock of log/lock_tiles
insert into tile as t (shard, level, n, hashes)
select h.shard, x.level, x.n, x.hashes
from shard h
cross join unnest($2::smallint[], $3::bigint[], $4::bytea[]) as x (level, n, hashes)
where h.shard = $1
on conflict (shard, level, n) do update
set hashes = excluded.hashes
where t.hashes <> excluded.hashes
