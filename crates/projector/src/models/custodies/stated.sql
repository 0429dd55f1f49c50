-- projector/custodies/stated: of the real accounts and their currencies, the day whose newest statement is the oldest. A
-- currency without a balance counts only if no other one of the account was stated later; accounts that were never stated
-- are left out
select min(least(of_one.newest, of_one.oldest))
  from custodies_v1 c
 cross join lateral (
       select max(stated.value ->> 0) as newest,
              min(stated.value ->> 0) filter (where (stated.value ->> 1)::bigint <> 0) as oldest
         from jsonb_each(c.state::jsonb -> 'statements') stated) of_one
 where c.shard = $1
   and not (c.state::jsonb ->> 'sandbox')::boolean
