-- log/read_timeline: which history of the server this is; a fail-over and a restored backup begin another one
select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline
