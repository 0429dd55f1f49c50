-- projector/version/is_there: true if there is a table with this name
select exists (select from pg_attribute where attrelid = to_regclass($1))
