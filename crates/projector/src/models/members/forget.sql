-- projector/members/forget: deletes the counters of lists that no member can leave, which a rebuild kept while the
-- members had no index
delete from counters_v3 where shard = $1 and kind not in (4, 5)
