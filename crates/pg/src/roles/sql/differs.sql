-- pg/differs: differences between the actual and the expected rights of the roles $1 and of public. Expected are the
-- table rights $2 to $5, the rights $6 and $7 on read models, the owner $8 and the schema rights $9 to $11
with ours as (
    select c.oid, n.nspname || '.' || c.relname as name, c.relowner, c.relacl,
           not n.nspname || '.' || c.relname = any ($3::text[]) as is_model
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p')
      and (n.nspname || '.' || c.relname = any ($3::text[])
           or n.nspname = 'public' and c.relname ~ '^[a-z_]+_v[0-9]+$')
),
expected as (
    select x.role, x.name, x.verb, x.col
    from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as x (role, name, verb, col)
    union
    select r.role, o.name, r.verb, ''
    from ours o
    cross join unnest($6::text[], $7::text[]) as r (role, verb)
    where o.is_model
),
given as (
    select a.grantee, o.name, a.privilege_type as verb, '' as col
    from ours o
    cross join lateral aclexplode(o.relacl) as a
    where a.grantee <> o.relowner
    union all
    select a.grantee, o.name, a.privilege_type, c.attname::text
    from ours o
    join pg_attribute c on c.attrelid = o.oid and c.attnum > 0 and not c.attisdropped
    cross join lateral aclexplode(c.attacl) as a
    where a.grantee <> o.relowner
),
found as (
    select coalesce(r.rolname::text, 'public') as role, g.name, g.verb, g.col
    from given g
    left join pg_roles r on r.oid = g.grantee
    where g.grantee = 0 or r.rolname = any ($1::text[])
),
owned as (
    select o.name, $8::text as role, r.rolname::text as owner
    from ours o
    join pg_roles r on r.oid = o.relowner
),
used as (
    select s.name, s.role, s.verb
    from unnest($9::text[], $10::text[], $11::text[]) as s (name, role, verb)
    join pg_namespace n on n.nspname = s.name
    join pg_roles r on r.rolname = s.role
    where not has_schema_privilege(r.oid, n.oid, s.verb)
)
select true as is_missing, m.role, m.verb, m.name, m.col from (select * from expected except select * from found) as m
union all
select true, w.role, 'ownership', w.name, '' from owned w where w.owner <> w.role
union all
select true, u.role, u.verb, u.name, '' from used u
union all
select false, e.role, e.verb, e.name, e.col from (select * from found except select * from expected) as e
order by 1 desc, 2, 4, 3, 5
