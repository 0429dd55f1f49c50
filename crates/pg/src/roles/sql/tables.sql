-- pg/tables: existing tables of the ledger, including read models, with their owners
select n.nspname || '.' || c.relname as name, o.rolname::text as owner,
       not n.nspname || '.' || c.relname = any ($1::text[]) as is_model
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_roles o on o.oid = c.relowner
where c.relkind in ('r', 'p')
  and (n.nspname || '.' || c.relname = any ($1::text[])
       or n.nspname = 'public' and c.relname ~ '^[a-z_]+_v[0-9]+$')
order by 1
