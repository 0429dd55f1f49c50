-- log/find_event: where an event is, by its id
select e.position
from event e
where e.shard = $1 and e.event_id = $2
limit 1
