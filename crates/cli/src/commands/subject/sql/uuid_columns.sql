-- subject/uuid_columns: every column that can hold an id: its table's name, the same and the column as SQL writes them
select c.table_schema || '.' || c.table_name, format('%I.%I', c.table_schema, c.table_name), format('%I', c.column_name)
from information_schema.columns c
join information_schema.tables t using (table_schema, table_name)
where c.udt_name = 'uuid' and t.table_type = 'BASE TABLE'
  and c.table_schema not in ('pg_catalog', 'information_schema')
order by 1, 3
