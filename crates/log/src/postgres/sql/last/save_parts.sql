-- log/last/save_parts: inserts parts of a tree
insert into last_part (shard, platform, position, first, part, entries)
select h.shard, $2::uuid, $3::bigint, x.first, x.part, x.entries
from shard h
cross join unnest($4::uuid[], $5::bigint[], $6::bytea[]) as x (first, part, entries)
where h.shard = $1
