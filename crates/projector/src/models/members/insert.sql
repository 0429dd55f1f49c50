-- projector/members/insert: inserts the new members of lists from a page of the log; the caller checks the number of
-- rows
insert into members_v3 (shard, list, kind, n, member, is_present)
select h.shard, unnest($2::uuid[]), unnest($3::smallint[]), unnest($4::bigint[]), unnest($5::uuid[]),
       unnest($6::boolean[])
  from shard h
 where h.shard = $1
