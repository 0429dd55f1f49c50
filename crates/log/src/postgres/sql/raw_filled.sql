-- log/raw_filled: first position at which the boxes of a range add up to $4 bytes or more. PostgreSQL knows the sizes
-- without reading the boxes
select min(s.position) as position
from (
    select e.position, sum(octet_length(e.sealed)) over (order by e.position) as bytes
    from event e
    where e.shard = $1 and e.position > $2 and e.position <= $3
) s
where s.bytes >= $4
