-- access/set_shard_open: whether a shard takes new platforms
insert into shard_state (shard, is_open)
values ($1, $2)
    on conflict (shard) do update
   set is_open = excluded.is_open
