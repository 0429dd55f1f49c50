-- subject/uuid_columns: columns of type uuid that role $1 may read, or with $2 = false may not read: the table's name,
-- and table and column as quoted identifiers
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
