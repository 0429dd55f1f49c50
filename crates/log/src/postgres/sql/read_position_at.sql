-- log/read_position_at: last position recorded at or before a time; recording times and commit numbers increase
-- together
select c.last_position
from commit c
where c.shard = $1 and c.recorded_at <= $2
order by c.recorded_at desc, c.commit_no desc
limit 1
