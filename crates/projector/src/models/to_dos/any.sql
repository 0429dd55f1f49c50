-- projector/to_dos/any: which of some processes, and of $3 besides, have something to do now, for one platform or all.
-- One probe of the index for each: `exists` would be joined, and that reads what is due to all of them and to none
select p.process
  from unnest($2::smallint[]) as p (process)
 cross join lateral (
       select t.id
         from to_dos_v1 t
        where t.shard = $1 and t.process = p.process and t.due_at <= $4
          and ($5::uuid is null or t.platform = $5)
        limit 1) d
union all
select $3::smallint
 where exists (
       select from waiting_v1 w
        where w.shard = $1 and w.freed_at is not null and w.freed_at <= $4
          and ($5::uuid is null or w.platform = $5))
