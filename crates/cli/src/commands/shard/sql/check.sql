-- shard/check: rows of a shard that its addition writes: its singleton processes, its cursor, its active versions
select exists (select from duty d where d.shard = $1 and d.process = 2) as has_duty,
       exists (select from cursor c where c.shard = $1 and c.name = 'reads') as has_cursor,
       (select count(*) from projection p where p.shard = $1 and p.stage = 'active') as models
