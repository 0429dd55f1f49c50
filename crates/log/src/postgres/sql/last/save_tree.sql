-- log/last/save_tree: inserts a tree after its parts
insert into last_tree (shard, platform, position, accounts, roots)
select h.shard, $2::uuid, $3::bigint, $4::bigint, $5::bytea
from shard h
where h.shard = $1
