-- subject/uuid_columns: every column that can hold an id and that $1 may read ($2), or may not: its table's name, the same and
-- the column as SQL writes them
with readable as (
    select n.nspname, t.relname, c.attname,
           coalesce(has_schema_privilege(to_regrole($1)::oid, n.oid, 'USAGE')
                    and has_column_privilege(to_regrole($1)::oid, t.oid, c.attnum, 'SELECT'), false) as is_readable
    from pg_attribute c
    join pg_class t on t.oid = c.attrelid
    join pg_namespace n on n.oid = t.relnamespace
    where c.atttypid = 'uuid'::regtype and c.attnum > 0 and not c.attisdropped and t.relkind in ('r', 'p')
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\_%'
)
select nspname || '.' || relname, format('%I.%I', nspname, relname), format('%I', attname)
from readable
where is_readable = $2
order by 1, 3
