-- projector/members/insert: what came into lists in a page of the log
insert into members_v3 (shard, list, kind, n, member, is_present)
select h.shard, unnest($2::uuid[]), unnest($3::smallint[]), unnest($4::bigint[]), unnest($5::uuid[]),
       unnest($6::boolean[])
  from shard h
 where h.shard = $1
