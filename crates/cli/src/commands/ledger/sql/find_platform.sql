-- ledger/find_platform: platform and its shard, with the id $1 or the client id $2; no row if there is none
select p.platform, p.shard
from platform p
where p.platform = $1 or p.client_id = $2
