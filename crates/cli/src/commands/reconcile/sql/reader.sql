-- reconcile/reader: processes with a generation of versions that is newer than the newest recorded one
select r.process, r.generation
  from reader r
 where r.shard = $1
   and r.generation > (select coalesce(max(generation), 0) from projection where shard = $1)
