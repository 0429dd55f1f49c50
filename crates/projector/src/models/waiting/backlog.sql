-- projector/waiting/backlog: how many transactions wait to be looked at whose cause was cleared, ten thousand counted at
-- most, and since when
select $2::smallint, count(d.freed_at), min(d.freed_at)
  from (
      select freed_at
        from waiting_v1
       where shard = $1 and freed_at is not null and freed_at <= $3
       order by freed_at
       limit 10000
  ) d
having count(*) > 0
