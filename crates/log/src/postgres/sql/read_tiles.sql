-- log/read_tiles: tiles by level and number; no row for a tile that does not exist
select t.level, t.n, t.hashes
from unnest($2::smallint[], $3::bigint[]) as x (level, n)
cross join lateral (
    select level, n, hashes from tile where shard = $1 and level = x.level and n = x.n limit 1
) t
