-- shard/old_processes: number of processes alive that know one shard only
select count(*) as count
  from reader r
 where r.shard = $1 and r.knows_shards is null and r.at > now() - interval '30 seconds'
