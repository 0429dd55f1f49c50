-- log/read_boundary: newest commit that ends at or before a position. A binary search over the commit numbers, because
-- numbers and positions increase together
with recursive search (low, high) as (
    select 0::bigint, coalesce(max(c.commit_no), 0)
    from commit c
    where c.shard = $1
    union all
    select case when c.last_position <= $2 then c.commit_no else s.low end,
           case when c.last_position <= $2 then s.high else c.commit_no - 1 end
    from search s
    join commit c on c.shard = $1 and c.commit_no = (s.low + s.high + 1) / 2
    where s.low < s.high
)
select c.commit_no, c.last_position, c.recorded_at
from commit c
where c.shard = $1 and c.commit_no = (select s.low from search s where s.low = s.high)
