-- log/read_tiled: how many leaves are in tiles
select coalesce(max(t.n) + 1, 0) * 256 as leaves
from tile t
where t.shard = $1 and t.level = 0
