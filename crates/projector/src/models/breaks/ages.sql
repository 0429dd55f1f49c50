-- projector/breaks/ages: days of the lines in suspense of real platforms, with their number
select (b.state::jsonb ->> 'day')::text as day, count(*)
  from breaks_v1 b
  join platforms_v1 p on p.shard = b.shard and p.id = b.platform
 where b.shard = $1
   and b.is_open
   and not (p.state::jsonb ->> 'sandbox')::boolean
 group by 1
