-- reconcile/model_tables: existing tables of read models, recognized by their names
select c.relname::text
  from pg_class c
 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname ~ '^[a-z_]+_v[0-9]+$'
