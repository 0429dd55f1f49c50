-- projector/files/trace: newest transaction with a trace number
select transaction
  from traces_v1
 where shard = $1 and custody = $2 and trace = $3
 order by position desc
 limit 1
