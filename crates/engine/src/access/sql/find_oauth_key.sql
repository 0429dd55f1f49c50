-- access/find_oauth_key: platform with the short id $1 and its OAuth key with the hash $2, or else a neighbouring
-- platform. An unknown short id reads as much as a known one, so the response time does not reveal which exist. The key
-- columns are null if there is no such key
select p.platform, p.shard, p.short_id, p.name, p.client_id, p.sandbox, p.user_id, p.reserve_id, p.created_at, s.*,
       k.user_id as key_user_id, k.scopes, k.expires_at, k.fingerprint, k.secret_no
from (select * from platform
      where short_id >= least($1, (select max(short_id) from platform))
      order by short_id
      limit 1) p
cross join lateral (select array_agg(secret_no) as secret_nos, array_agg(secret_hash) as secret_hashes,
                           array_agg(sealed_secret) as sealed_secrets, array_agg(good_until) as good_untils,
                           array_agg(revoked_at) as revoked_ats
                    from (select * from client_secret where platform = p.platform order by secret_no) each) s
left join lateral (select user_id, scopes, expires_at, fingerprint, coalesce(secret_no, 1) as secret_no from oauth_key
                   where shard = p.shard and key_hash = $2
                   limit 1) k on true
