-- projector/breaks/ages: days of the lines in suspense of real platforms, with their number; of each platform at most so
-- many are counted as the parameter says, the oldest first
select b.state::jsonb ->> 'day' as day, count(*)
  from platforms_v1 p
 cross join lateral (
       select b.state
         from breaks_v1 b
        where b.shard = $1 and b.platform = p.id and b.is_open
        order by b.position
        limit $2) b
 where p.shard = $1
   and not (p.state::jsonb ->> 'sandbox')::boolean
 group by 1
