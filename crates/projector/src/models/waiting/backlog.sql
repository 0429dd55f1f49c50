-- projector/waiting/backlog: number of queued transactions whose cause was cleared and that were not examined again
-- yet, counted up to 10,000, with the earliest time; no row if there are none
select $2::smallint, count(d.freed_at), min(d.freed_at)
  from (
      select freed_at
        from waiting_v1
       where shard = $1 and freed_at is not null and freed_at <= $3
       order by freed_at
       limit 10000
  ) d
having count(*) > 0
