-- projector/waiting/due: locks and returns the next transactions whose cause was cleared, after a place in the order of
-- that time. Rows that another process has locked are skipped. The process has only step 1
select id, freed_at, 1::smallint
  from waiting_v1
 where shard = $1 and $2::smallint is not null and freed_at is not null and freed_at <= $3
   and (freed_at, id) > ($4, $5) and ($7::uuid is null or platform = $7)
 order by freed_at, id
 limit $6
   for update skip locked
