-- log/read_timeline: timeline of the server that holds the shard, which changes at a failover and at a restore from a
-- backup; no row if there is no such shard
select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline
from shard s
where s.shard = $1
