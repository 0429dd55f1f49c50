-- reconcile/operator: actors of operations that are not in the table of operators
select distinct e.actor as operator
  from operations_v1 o
  join event e on e.shard = o.shard and e.stream = o.id
 where o.shard = $1 and not exists (select from operator where operator = e.actor)
