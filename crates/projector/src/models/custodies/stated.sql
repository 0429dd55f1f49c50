-- projector/custodies/stated: day of the statement that is the newest of its account, of the real account whose newest
-- statement is the oldest; accounts that were never stated are left out
select min(of_one.day)
  from (select (select max(stated.value ->> 0) from jsonb_each(c.state::jsonb -> 'statements') stated) as day
          from custodies_v1 c
         where c.shard = $1
           and not (c.state::jsonb ->> 'sandbox')::boolean) of_one
