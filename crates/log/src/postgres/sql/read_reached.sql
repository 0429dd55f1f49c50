-- log/read_reached: root of a known commit, and number of the newest commit
select (select c.root from commit c where c.shard = $1 and c.commit_no = $2) as root,
       coalesce((select c.commit_no from commit c where c.shard = $1 order by c.commit_no desc limit 1), 0) as newest
