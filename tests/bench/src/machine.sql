-- bench/machine: facts about the server for a report
select current_setting('server_version') as version,
       to_char(now() at time zone 'utc', 'YYYY-MM-DD') as date,
       (select string_agg(name || '=' || current_setting(name), ', ' order by name)
          from pg_settings
         where name in ('shared_buffers', 'min_wal_size', 'max_wal_size', 'checkpoint_timeout', 'synchronous_commit', 'fsync',
                        'full_page_writes', 'data_checksums')) as settings
