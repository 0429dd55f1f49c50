-- projector/platforms/clocks: platforms whose clock is ahead
select id, clock_ms
  from platforms_v1
 where shard = $1 and clock_ms > 0
