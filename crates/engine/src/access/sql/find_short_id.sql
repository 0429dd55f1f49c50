-- access/find_short_id: platform with this short id and its secrets, or else a neighbouring platform. An unknown short
-- id reads as much as a known one, so the response time does not reveal which exist
select p.platform, p.shard, p.short_id, p.name, p.client_id, p.sandbox, p.user_id, p.reserve_id, p.created_at, s.*
from (select * from platform
      where short_id >= least($1, (select max(short_id) from platform))
      order by short_id
      limit 1) p
cross join lateral (select array_agg(secret_no) as secret_nos, array_agg(secret_hash) as secret_hashes,
                           array_agg(sealed_secret) as sealed_secrets, array_agg(good_until) as good_untils,
                           array_agg(revoked_at) as revoked_ats
                    from (select * from client_secret where platform = p.platform order by secret_no) each) s
