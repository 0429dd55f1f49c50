-- projector/open_items/overdue: number of open items of real platforms that are open since before the time of their account;
-- of each platform at most so many are counted as the last parameter says. The greatest of these times bounds the scan of
-- its index
select count(*)
  from platforms_v1 p
 cross join lateral (
       select 1
         from open_items_v1 o
         join unnest($2::text[], $3::timestamptz[]) late(account, until)
           on late.account = o.account and o.since < late.until
        where o.shard = $1 and o.platform = p.id and o.since < $4
        limit $5) o
 where p.shard = $1
   and not (p.state::jsonb ->> 'sandbox')::boolean
