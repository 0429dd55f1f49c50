-- projector/version/is_there: whether there is a table of this name
select exists (select from pg_attribute where attrelid = to_regclass($1))
