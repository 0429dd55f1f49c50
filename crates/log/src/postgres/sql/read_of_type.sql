-- log/read_of_type: the events of one type after a position; the number of the type is put in
select e.position, e.stream
from event e
where e.shard = $1 and e.type = <type> and e.position > $2
order by e.position
