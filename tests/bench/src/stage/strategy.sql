-- bench/strategy: size of a database, and major version of its server
select pg_database_size($1::text::name) as bytes, current_setting('server_version_num')::integer / 10000 as major
