-- log/last/read_unattested: newest tree of each platform, if it is not attested
select t.platform, t.position, t.accounts, t.roots
from last_tree t
where t.shard = $1 and t.attested is null
  and not exists (
      select from last_tree o where o.shard = $1 and o.platform = t.platform and o.position > t.position
  )
order by t.platform
