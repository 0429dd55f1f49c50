-- bench/select: a node by its id
select state
  from nodes_v1
 where shard = $1 and id = $2
