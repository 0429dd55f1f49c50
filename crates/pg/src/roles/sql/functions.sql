-- pg/functions: functions that the triggers of the tables $1 call
select distinct t.tgfoid::regprocedure::text as name
from pg_trigger t
join pg_class c on c.oid = t.tgrelid
join pg_namespace n on n.oid = c.relnamespace
where not t.tgisinternal and n.nspname || '.' || c.relname = any ($1::text[])
order by 1
