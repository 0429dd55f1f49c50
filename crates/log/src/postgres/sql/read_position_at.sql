-- log/read_position_at: the last position that was recorded at or before a moment; times and numbers rise together
select c.last_position
from commit c
where c.shard = $1 and c.recorded_at <= $2
order by c.recorded_at desc, c.commit_no desc
limit 1
