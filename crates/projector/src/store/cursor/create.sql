-- projector/cursor/create: the beginning, unless somebody was there before
insert into cursor (shard, name, position, commit_no)
select h.shard, 'reads', 0, 0
  from shard h
 where h.shard = $1
    on conflict (shard, name) do nothing
