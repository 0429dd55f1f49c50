-- log/last/read_entries: events of streams of one kind in a range of positions: position, stream and platform
select e.position, e.stream, e.platform
from event e
where e.shard = $1 and e.position > $2 and e.position <= $3 and e.stream_kind = $4
order by e.position
