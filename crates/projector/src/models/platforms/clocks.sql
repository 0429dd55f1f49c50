-- projector/platforms/clocks: platforms whose clock is ahead of the wall clock, with the difference in milliseconds
select id, clock_ms
  from platforms_v1
 where shard = $1 and clock_ms > 0
