-- projector/members/move: marks members that left their lists, or came back, in a page of the log; the caller checks
-- the number of rows. The lateral join with limit 1 makes the planner probe the index once per member
update members_v3 t
   set is_present = k.is_present
  from (select o.ctid, x.is_present
          from (select * from unnest($2::uuid[], $3::smallint[], $4::uuid[], $5::boolean[]) x(list, kind, member, is_present)
                 limit cardinality($2)) x
         cross join lateral (
               select ctid
                 from members_v3
                where shard = $1 and list = x.list and kind = x.kind and member = x.member and kind in (4, 5)
                limit 1) o) k
 where t.shard = $1 and t.ctid = k.ctid
