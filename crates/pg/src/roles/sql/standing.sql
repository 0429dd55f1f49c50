-- pg/standing: login of the session, existing roles, roles that the login may assume, and whether the roles of this
-- database are set up
select session_user::text as login,
       (select s.rolsuper or s.rolcreaterole from pg_roles s where s.rolname = session_user) as makes_roles,
       array(select r.rolname::text from pg_roles r where r.rolname = any ($1::text[])) as existing,
       array(
           select r.rolname::text
           from pg_roles r
           where r.rolname = any ($1::text[])
             and pg_has_role(
                 session_user, r.oid,
                 case when current_setting('server_version_num')::int < 160000 then 'MEMBER' else 'SET' end)
       ) as assumable,
       exists (
           select
           from pg_class c
           join pg_namespace n on n.oid = c.relnamespace
           join pg_roles o on o.oid = c.relowner
           where n.nspname = 'public' and c.relname = 'event' and o.rolname = $2
       ) as is_set_up
