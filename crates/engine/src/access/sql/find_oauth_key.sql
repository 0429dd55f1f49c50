-- access/find_oauth_key: whose key a hash is of, with the platform of a short id, or the one beside it, so that what nobody
-- has is as long in coming
select p.platform, p.shard, p.short_id, p.name, p.client_id, p.secret_hash, p.sealed_secret, p.sandbox, p.user_id,
       p.reserve_id, p.created_at, k.user_id as key_user_id, k.scopes, k.expires_at, k.fingerprint
from (select * from platform
      where short_id >= least($1, (select max(short_id) from platform))
      order by short_id
      limit 1) p
left join lateral (select user_id, scopes, expires_at, fingerprint from oauth_key
                   where shard = p.shard and key_hash = $2
                   limit 1) k on true
