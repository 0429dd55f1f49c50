-- access/find_platform: platform with its secrets, by its id or its client id; no row if there is none
select p.platform, p.shard, p.short_id, p.name, p.client_id, p.sandbox, p.user_id, p.reserve_id, p.created_at, s.*
from platform p
cross join lateral (select array_agg(secret_no) as secret_nos, array_agg(secret_hash) as secret_hashes,
                           array_agg(sealed_secret) as sealed_secrets, array_agg(good_until) as good_untils,
                           array_agg(revoked_at) as revoked_ats
                    from (select * from client_secret where platform = p.platform order by secret_no) each) s
where p.platform = $1 or p.client_id = $2
