-- log/last/begin: how far trees of last entries have grown, if nobody has said so yet
insert into cursor (shard, name, position, commit_no)
select h.shard, 'last_entries', 0, 0
from shard h
where h.shard = $1
on conflict (shard, name) do nothing
