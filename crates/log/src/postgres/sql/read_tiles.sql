-- log/read_tiles: tiles by level and number
select t.level, t.n, t.hashes
from unnest($2::smallint[], $3::bigint[]) as x (level, n)
join tile t on t.shard = $1 and t.level = x.level and t.n = x.n
