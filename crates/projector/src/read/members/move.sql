-- projector/members/move: who left lists in a page of the log, and who is back
update members_v1 m
   set is_present = x.is_present
  from unnest($2::uuid[], $3::smallint[], $4::uuid[], $5::boolean[]) x(list, kind, member, is_present)
 where m.shard = $1 and m.list = x.list and m.kind = x.kind and m.member = x.member and m.kind in (4, 5)
