-- access/use_refresh: counts one use of the current generation; after the last it begins the next
insert into refresh as r (shard, user_id, generation, uses)
values ($1, $2, 1, 1)
on conflict (shard, user_id) do update
set generation = r.generation + case when r.uses + 1 >= $3 then 1 else 0 end,
    uses = case when r.uses + 1 >= $3 then 0 else r.uses + 1 end
