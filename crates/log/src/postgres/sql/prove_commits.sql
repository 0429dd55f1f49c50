-- log/prove_commits: sets the root, signature and tree of commits that have no tree; a stored signature stays. The
-- lateral join with limit 1 makes the planner probe the index once per commit
update commit t
set root = k.root, signature = coalesce(t.signature, k.signature), frontier = k.frontier
from (
    select o.ctid, x.root, x.signature, x.frontier
    from (
        select *
        from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[]) as x (commit_no, root, signature, frontier)
        limit cardinality($2)
    ) x
    cross join lateral (
        select c.ctid
        from commit c
        where c.shard = $1 and c.commit_no = x.commit_no and c.frontier is null
        limit 1
    ) o
) k
where t.shard = $1 and t.ctid = k.ctid
