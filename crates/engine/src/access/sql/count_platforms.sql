-- access/count_platforms: whether each of these shards takes new platforms, and how many it has; the emptiest first
select s.shard, coalesce(t.is_open, true) as is_open, coalesce(p.platforms, 0) as platforms
from unnest($1::smallint[]) s (shard)
left join shard_state t on t.shard = s.shard
left join (select shard, count(*) as platforms from platform group by shard) p on p.shard = s.shard
order by platforms, s.shard
