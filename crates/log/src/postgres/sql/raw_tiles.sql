-- log/raw_tiles: next 1,000 tiles, by level and number
select t.level, t.n, t.hashes
from tile t
where t.shard = $1 and (t.level, t.n) > ($2::smallint, $3::bigint)
order by t.level, t.n
limit 1000
