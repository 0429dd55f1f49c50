-- projector/files/list: page of a custody's files in the order in which they were cut, with their total and the cursor
-- in the same snapshot
select c.position, (select count(*) from files_v1 f where f.shard = $1 and f.custody = $2) as total, p.file
  from cursor c
  left join lateral (
       select file, n
         from files_v1
        where shard = $1 and custody = $2
        order by n
       offset $3 limit $4) p on true
 where c.shard = $1 and c.name = 'reads'
 order by p.n
