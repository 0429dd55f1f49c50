-- reconcile/shard: difference between the table and the one shard of the log
select coalesce(s.shard, $1) as shard
  from (select $1::smallint as shard) one
  full join shard s on s.shard = one.shard
 where s.shard is null or one.shard is null
