-- log/read_upper_tiles: lengths of all tiles above the tiles of leaves; there is one such tile per 65,536 events
select t.level, t.n, octet_length(t.hashes) as bytes
from tile t
where t.shard = $1 and t.level between 1 and 7 and t.n >= 0
order by t.level, t.n
