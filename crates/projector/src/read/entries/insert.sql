-- projector/entries/insert: the entries of a page of the log
insert into entries_v1
       (shard, account, n, position, cause, delta, hold_delta, pending_delta, posted, held, pending_in, recorded_at)
select h.shard, x.account, x.n, x.position, x.cause, x.delta, x.hold_delta, x.pending_delta, x.posted, x.held,
       x.pending_in, x.recorded_at
  from shard h,
       unnest($2::uuid[], $3::integer[], $4::bigint[], $5::uuid[], $6::bigint[], $7::bigint[], $8::bigint[],
              $9::bigint[], $10::bigint[], $11::bigint[], $12::timestamptz[])
           x(account, n, position, cause, delta, hold_delta, pending_delta, posted, held, pending_in, recorded_at)
 where h.shard = $1
