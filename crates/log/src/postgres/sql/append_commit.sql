-- log/append_commit: the commit itself, with the tree after it; only where the commit before it has the root that was read
insert into commit (shard, commit_no, batch, writer, last_position, recorded_at, root, signature, frontier)
select h.shard, $2::bigint, $3::uuid, $4::uuid, $5::bigint, $6::timestamptz, $7::bytea, $8::bytea, $9::bytea
from shard h
where h.shard = $1
  and ($2::bigint = 1 or exists (
    select from commit p where p.shard = $1 and p.commit_no = $2::bigint - 1 and p.root = $10::bytea
  ))
