-- projector/cursor/place: how far the read models have come, and which choice of versions is read
select c.position, coalesce((select max(p.generation) from projection p where p.shard = $1), 0)
  from cursor c
 where c.shard = $1 and c.name = 'reads'
