-- projector/entries/at: the last entry of an account at or before a position, and the cursor of the same moment
select c.position, e.n, e.posted, e.held, e.pending_in
  from cursor c
  left join lateral (
       select n, posted, held, pending_in
         from entries_v1
        where shard = $1 and account = $2 and position <= $3
        order by position desc
        limit 1) e on true
 where c.shard = $1 and c.name = 'reads'
