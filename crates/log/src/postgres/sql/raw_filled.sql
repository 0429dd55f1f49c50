-- log/raw_filled: where boxes of so many bytes have come together; the sizes are known without reading them
select min(s.position) as position
from (
    select e.position, sum(octet_length(e.sealed)) over (order by e.position) as bytes
    from event e
    where e.shard = $1 and e.position > $2 and e.position <= $3
) s
where s.bytes >= $4
