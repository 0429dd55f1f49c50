-- reconcile/model_tables: the tables of read models that there are
select c.relname::text
  from pg_class c
 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname ~ '^[a-z_]+_v[0-9]+$'
