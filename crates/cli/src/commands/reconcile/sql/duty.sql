-- reconcile/duty: differences between the table and the set of singleton processes, which is process 2 only
select coalesce(d.process, e.process) as process
  from (values (2::smallint)) e (process)
  full join (select process from duty where shard = $1) d on d.process = e.process
 where d.process is null or e.process is null
