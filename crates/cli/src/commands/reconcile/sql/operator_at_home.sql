-- reconcile/operator_at_home: operators, who may act in every shard
select o.operator
  from operator o
 where $1::smallint is not null
