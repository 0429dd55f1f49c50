-- reconcile/platform: differences between the rows at home and the platforms of the log, in either direction: the platform
-- itself, its name, its kind, and its own user and reserve node, which the same command must have created
select coalesce(p.platform, l.id) as platform, p.name, p.sandbox, p.user_id, p.reserve_id, l.state
  from json_to_recordset(nullif($2::text, '')::json)
       p (platform uuid, name text, sandbox boolean, user_id uuid, reserve_id uuid)
  full join (select * from platforms_v1 where shard = $1) l on l.id = p.platform
  left join event o on o.shard = $1 and o.stream = l.id and o.version = 1
  left join event u on u.shard = $1 and u.stream = p.user_id and u.version = 1
  left join event r on r.shard = $1 and r.stream = p.reserve_id and r.version = 1
 where p.platform is null or l.id is null
    or p.name is distinct from l.state::json ->> 'name'
    or p.sandbox::text is distinct from l.state::json ->> 'sandbox'
    or u.cause_id is distinct from o.cause_id
    or r.cause_id is distinct from o.cause_id
    or not exists (select from users_v1 where shard = $1 and id = p.user_id)
    or not exists (select from nodes_v1 where shard = $1 and id = p.reserve_id)
