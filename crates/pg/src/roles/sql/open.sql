-- pg/open: statements that revoke the rights to create objects in the schemas $1 and in the database, and temporary
-- tables, from public and from the roles $2 except $3
select distinct format('revoke create on schema %I from %s', n.nspname, coalesce(quote_ident(r.rolname), 'public'))
from pg_namespace n
cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) as a
left join pg_roles r on r.oid = a.grantee
where n.nspname = any ($1::text[]) and a.privilege_type = 'CREATE'
  and (a.grantee = 0 or r.rolname = any ($2::text[]) and r.rolname <> $3)
union all
select distinct format('revoke %s on database %I from %s', lower(a.privilege_type), d.datname,
                       coalesce(quote_ident(r.rolname), 'public'))
from pg_database d
cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) as a
left join pg_roles r on r.oid = a.grantee
where d.datname = current_database() and a.privilege_type in ('CREATE', 'TEMPORARY')
  and (a.grantee = 0 or r.rolname = any ($2::text[]) and r.rolname <> $3)
