-- log/raw_extent: lowest and highest keys of the tables of events and commits; 0 for an empty table
select coalesce((select min(e.position) from event e where e.shard = $1), 0) as first_position,
       coalesce((select max(e.position) from event e where e.shard = $1), 0) as last_position,
       coalesce((select min(c.commit_no) from commit c where c.shard = $1), 0) as first_commit,
       coalesce((select max(c.commit_no) from commit c where c.shard = $1), 0) as last_commit
