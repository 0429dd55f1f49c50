-- projector/entries/v1/insert: inserts the entries of a page of the log; the caller checks the number of rows
insert into entries_v1
       (shard, account, n, position, cause, delta, hold_delta, pending_delta, posted, held, pending_in, recorded_at)
select h.shard, unnest($2::uuid[]), unnest($3::integer[]), unnest($4::bigint[]), unnest($5::uuid[]),
       unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::bigint[]),
       unnest($11::bigint[]), unnest($12::timestamptz[])
  from shard h
 where h.shard = $1
