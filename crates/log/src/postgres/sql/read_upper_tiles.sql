-- log/read_upper_tiles: how long the tiles above those of leaves are; there is one for 65,536 events
select t.level, t.n, octet_length(t.hashes) as bytes
from tile t
where t.shard = $1 and t.level between 1 and 7 and t.n >= 0
order by t.level, t.n
