-- projector/members/forget: totals of lists that nobody leaves, which a rebuild kept while members had no index
delete from counters_v3 where shard = $1 and kind not in (4, 5)
