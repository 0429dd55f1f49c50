-- log/read_ends: first and last position of the events and of the commits, in one snapshot, and whether the shard
-- exists
select exists (select from shard s where s.shard = $1) as is_there,
       coalesce((select min(e.position) from event e where e.shard = $1), 1) as first_position,
       coalesce((select max(e.position) from event e where e.shard = $1), 0) as last_position,
       coalesce((select min(c.commit_no) from commit c where c.shard = $1), 1) as first_commit,
       coalesce((select c.last_position from commit c where c.shard = $1 order by c.commit_no desc limit 1), 0) as head
