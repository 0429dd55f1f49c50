-- reconcile/client_secret: secrets without a platform, and platforms without their first secret
select coalesce(p.platform, s.platform) as platform, s.secret_no
  from (select platform from platform where shard = $1) p
  full join client_secret s on s.platform = p.platform
 where p.platform is null
    or not exists (select from client_secret where platform = p.platform and secret_no = 1)
