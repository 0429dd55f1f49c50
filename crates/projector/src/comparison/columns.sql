-- projector/rebuild/columns: columns of a table with their types. The columns of its key, the index with the suffix
-- _pkey, come first, in the order of the key
select a.attname::text, format_type(a.atttypid, a.atttypmod), k.place is not null
  from pg_attribute a
  left join pg_index i on i.indrelid = a.attrelid and i.indexrelid = to_regclass($1 || '_pkey')
  left join lateral unnest(i.indkey) with ordinality k(number, place) on k.number = a.attnum
 where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
 order by k.place, a.attnum
