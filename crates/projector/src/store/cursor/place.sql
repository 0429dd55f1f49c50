-- projector/cursor/place: position of the read models and the newest generation of their versions
select c.position, coalesce((select max(p.generation) from projection p where p.shard = $1), 0)
  from cursor c
 where c.shard = $1 and c.name = 'reads'
