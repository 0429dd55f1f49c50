-- log/read_timeline: the history of the server that holds a shard; a fail-over and a restored backup begin another one
select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline
from shard s
where s.shard = $1
