-- reconcile/shard: shards that a cursor or a platform names and that are not in the table
select n.shard
  from (select $1::smallint as shard union select shard from cursor union select shard from platform) n
 where not exists (select from shard s where s.shard = n.shard)
