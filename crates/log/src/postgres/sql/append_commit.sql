-- log/append_commit: inserts the commit with its root and its tree, if the previous commit has the root $10 that was
-- read under the lock. The caller checks the number of rows; 0 means that the previous commit is another one
insert into commit (shard, commit_no, batch, writer, last_position, recorded_at, root, signature, frontier)
select h.shard, $2::bigint, $3::uuid, $4::uuid, $5::bigint, $6::timestamptz, $7::bytea, $8::bytea, $9::bytea
from shard h
where h.shard = $1
  and ($2::bigint = 1 or exists (
    select from commit p where p.shard = $1 and p.commit_no = $2::bigint - 1 and p.root = $10::bytea
  ))
