-- reconcile/duty: the processes that are done by one at a time, and no others
select coalesce(d.process, e.process) as process
  from (values (2::smallint)) e (process)
  full join (select process from duty where shard = $1) d on d.process = e.process
 where d.process is null or e.process is null
