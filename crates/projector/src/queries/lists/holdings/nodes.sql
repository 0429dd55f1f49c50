-- projector/holdings/nodes: every node of a user, those that are not active too
select n.id
  from nodes_v1 n
 where n.shard = $1 and n.user_id = $2
 order by n.position
