-- access/find_client: platform with this client id and its secrets, or else a neighbouring platform. An unknown client
-- id reads as much as a known one, so the response time does not reveal which exist. The caller compares the hash of
-- the secret, which covers the client id
select p.platform, p.shard, p.short_id, p.name, p.client_id, p.sandbox, p.user_id, p.reserve_id, p.created_at, s.*
from (select * from platform
      where client_id >= least($1, (select max(client_id) from platform))
      order by client_id
      limit 1) p
cross join lateral (select array_agg(secret_no) as secret_nos, array_agg(secret_hash) as secret_hashes,
                           array_agg(sealed_secret) as sealed_secrets, array_agg(good_until) as good_untils,
                           array_agg(revoked_at) as revoked_ats
                    from (select * from client_secret where platform = p.platform order by secret_no) each) s
