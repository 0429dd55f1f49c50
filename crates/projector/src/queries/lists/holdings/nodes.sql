-- projector/holdings/nodes: a user's nodes in order of creation, active or not
select n.id
  from nodes_v1 n
 where n.shard = $1 and n.user_id = $2
 order by n.position
