-- projector/transactions/save: rows as they are after a page of the log
insert into transactions_v1 (shard, id, version, position, state, platform, status, ended)
select h.shard, x.id, x.version, x.position, x.state, x.platform, x.status, x.ended
  from shard h,
       unnest($2::uuid[], $3::integer[], $4::bigint[], $5::text[], $6::uuid[], $7::text[], $8::text[])
           x(id, version, position, state, platform, status, ended)
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, state = excluded.state, status = excluded.status, ended = excluded.ended
