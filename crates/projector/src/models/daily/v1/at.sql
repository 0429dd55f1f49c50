-- projector/daily/at: sum of an account's days up to one, with the cursor in the same snapshot
select c.position, d.delta, d.entries, d.last_n, true as is_whole
  from cursor c
 cross join lateral (
       select coalesce(sum(delta), 0)::bigint as delta, coalesce(sum(entries), 0)::integer as entries,
              coalesce(max(last_n), 0) as last_n
         from daily_v1
        where shard = $1 and account = $2 and day <= $3) d
 where c.shard = $1 and c.name = 'reads'
