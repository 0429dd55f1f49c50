-- engine/webhook/waiting: statistics of pending deliveries: the number of lanes, the number of lanes with failed
-- attempts, the earliest due time that has passed, the position of the cursor, the number of backlogs, and the position
-- of the longest backlog
select l.lanes, l.retrying, l.due_since, c.position, b.behind, b.position as behind_at
from (
    select count(*) as lanes, count(*) filter (where attempts > 0) as retrying,
        min(due_at) filter (where due_at <= $2) as due_since
    from webhook_lane
    where shard = $1
) l
cross join (select count(*) as behind, min(position) as position from webhook_backlog where shard = $1) b
left join cursor c on c.shard = $1 and c.name = 'webhooks'
