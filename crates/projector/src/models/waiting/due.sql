-- projector/waiting/due: transactions whose cause was cleared, the longest ago first, after a place in that order; locked
-- until they were looked at. The process has one step.
select id, freed_at, 1::smallint
  from waiting_v1
 where shard = $1 and $2::smallint is not null and freed_at is not null and freed_at <= $3
   and (freed_at, id) > ($4, $5) and ($7::uuid is null or platform = $7)
 order by freed_at, id
 limit $6
   for update skip locked
