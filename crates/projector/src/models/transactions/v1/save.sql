-- projector/transactions/v1/save: writes transactions as of the end of a page of the log; the caller checks the number
-- of rows
insert into transactions_v1 (shard, id, version, position, platform, status, ended, state)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::uuid[]), unnest($6::text[]),
       unnest($7::text[]), unnest($8::text[])
  from shard h
 where h.shard = $1
    on conflict (shard, id) do update
   set version = excluded.version, status = excluded.status, ended = excluded.ended, state = excluded.state
