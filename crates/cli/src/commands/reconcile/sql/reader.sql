-- reconcile/reader: no process acts on a change of the versions that there never was
select r.process, r.generation
  from reader r
 where r.shard = $1
   and r.generation > (select coalesce(max(generation), 0) from projection where shard = $1)
