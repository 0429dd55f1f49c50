-- reconcile/client_secret: secrets without a platform, and platforms of the shard without their first secret
select s.platform, s.secret_no
  from client_secret s
 where not exists (select from platform p where p.platform = s.platform)
union all
select p.platform, null
  from platform p
 where p.shard = $1
   and not exists (select from client_secret s where s.platform = p.platform and s.secret_no = 1)
