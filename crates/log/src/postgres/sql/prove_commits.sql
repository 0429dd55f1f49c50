-- log/prove_commits: the trees of commits that were made without one
update commit c
set root = x.root, signature = coalesce(c.signature, x.signature), frontier = x.frontier
from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[]) as x (commit_no, root, signature, frontier)
where c.shard = $1 and c.commit_no = x.commit_no and c.frontier is null
