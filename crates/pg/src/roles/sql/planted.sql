-- pg/planted: objects that no migration created: policies and rules on the tables $1 and on read models, triggers on
-- read models, and other objects that a role of $2 except $3 owns
with ours as (
    select c.oid, not n.nspname || '.' || c.relname = any ($1::text[]) as is_model
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p')
      and (n.nspname || '.' || c.relname = any ($1::text[])
           or n.nspname = 'public' and c.relname ~ '^[a-z_]+_v[0-9]+$')
)
select pg_describe_object('pg_policy'::regclass, p.oid, 0)
from pg_policy p
join ours o on o.oid = p.polrelid
union
select pg_describe_object('pg_rewrite'::regclass, w.oid, 0)
from pg_rewrite w
join ours o on o.oid = w.ev_class
union
select pg_describe_object('pg_trigger'::regclass, t.oid, 0)
from pg_trigger t
join ours o on o.oid = t.tgrelid
where o.is_model and not t.tgisinternal
union
select pg_describe_object(s.classid, s.objid, s.objsubid) || ' of ' || r.rolname
from pg_shdepend s
join pg_database d on d.oid = s.dbid and d.datname = current_database()
join pg_roles r on r.oid = s.refobjid
where s.refclassid = 'pg_authid'::regclass and s.deptype = 'o'
  and r.rolname = any ($2::text[]) and r.rolname <> $3
  and s.classid <> 'pg_default_acl'::regclass
  and not (s.classid = 'pg_class'::regclass and s.objid in (select o.oid from ours o))
order by 1
