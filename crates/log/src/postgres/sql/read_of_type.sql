-- log/read_of_type: events of one type after a position. The caller replaces the placeholder by the number of the type:
-- the planner uses the partial index of the type only for a constant
select e.position, e.stream
from event e
where e.shard = $1 and e.type = <type> and e.position > $2
order by e.position
