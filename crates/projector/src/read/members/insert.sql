-- projector/members/insert: what came into lists in a page of the log
insert into members_v1 (shard, list, n, member)
select h.shard, x.list, x.n, x.member
  from shard h, unnest($2::uuid[], $3::bigint[], $4::uuid[]) x(list, n, member)
 where h.shard = $1
