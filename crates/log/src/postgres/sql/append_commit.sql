-- log/append_commit: the commit itself
insert into commit (shard, commit_no, batch, writer, last_position, recorded_at)
select h.shard, $2::bigint, $3::uuid, $4::uuid, $5::bigint, $6::timestamptz
from shard h
where h.shard = $1
