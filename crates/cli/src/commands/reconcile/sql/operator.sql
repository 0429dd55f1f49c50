-- reconcile/operator: actors of operations that are not operators at home
select distinct e.actor as operator
  from operations_v1 o
  join event e on e.shard = o.shard and e.stream = o.id
 where o.shard = $1 and not exists (
       select from json_to_recordset(nullif($2::text, '')::json) h (operator uuid) where h.operator = e.actor)
