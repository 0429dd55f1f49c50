-- projector/daily/at: an account's correction of the balance at the end of a day: entries effective by that day and
-- recorded later, minus entries recorded by that day and effective later; with the cursor in the same snapshot
select c.position, d.moved, d.entries, d.last_n, false as is_whole
  from cursor c
 cross join lateral (
       select coalesce(sum(moved), 0)::bigint as moved, coalesce(sum(moved_entries), 0)::integer as entries,
              coalesce(max(last_n), 0) as last_n
         from daily_v2
        where shard = $1 and account = $2 and day <= $3) d
 where c.shard = $1 and c.name = 'reads'
