-- log/read_short_tiles: tiles of leaves that are partial, or that do not follow the previous tile; at most 1,000
select s.n, s.follows, s.is_full
from (
    select t.n, lag(t.n, 1, -1::bigint) over (order by t.n) + 1 as follows, octet_length(t.hashes) = 8192 as is_full
    from tile t
    where t.shard = $1 and t.level = 0 and t.n >= 0
) s
where s.n <> s.follows or not s.is_full
order by s.n
limit 1000
