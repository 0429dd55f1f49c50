-- subject/uuid_columns: every column that can hold an id, of tables that may not be read, too: its table's name, the same
-- and the column as SQL writes them
select n.nspname || '.' || t.relname, format('%I.%I', n.nspname, t.relname), format('%I', c.attname)
from pg_attribute c
join pg_class t on t.oid = c.attrelid
join pg_namespace n on n.oid = t.relnamespace
where c.atttypid = 'uuid'::regtype and c.attnum > 0 and not c.attisdropped and t.relkind in ('r', 'p')
  and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\_%'
order by 1, 3
