-- log/last/begin: creates the cursor of the trees of last entries at position 0; an existing cursor stays unchanged
insert into cursor (shard, name, position, commit_no)
select h.shard, 'last_entries', 0, 0
from shard h
where h.shard = $1
on conflict (shard, name) do nothing
