-- access/use_refresh: counts one use of the current refresh-token generation; the use number $3 begins the next
-- generation
insert into refresh as r (shard, user_id, generation, uses)
values ($1, $2, 1, 1)
on conflict (shard, user_id) do update
set generation = r.generation + case when r.uses + 1 >= $3 then 1 else 0 end,
    uses = case when r.uses + 1 >= $3 then 0 else r.uses + 1 end
