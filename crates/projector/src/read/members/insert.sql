-- projector/members/insert: what came into lists in a page of the log
insert into members_v1 (shard, list, kind, n, member, is_present)
select h.shard, x.list, x.kind, x.n, x.member, x.is_present
  from shard h,
       unnest($2::uuid[], $3::smallint[], $4::bigint[], $5::uuid[], $6::boolean[])
           x(list, kind, n, member, is_present)
 where h.shard = $1
