-- log/find_event: position of the event with a given id
select e.position
from event e
where e.shard = $1 and e.event_id = $2
limit 1
