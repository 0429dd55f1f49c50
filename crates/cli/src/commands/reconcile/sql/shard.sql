-- reconcile/shard: the shard itself and shards that a cursor names, if they are not in the table
select n.shard
  from (select $1::smallint as shard union select shard from cursor) n
 where not exists (select from shard s where s.shard = n.shard)
