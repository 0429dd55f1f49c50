-- projector/nodes/of_user: a user's nodes of some types in order of creation, active or not
select id
  from nodes_v1
 where shard = $1 and user_id = $2 and kind = any($3)
 order by position
