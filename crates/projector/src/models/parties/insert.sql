-- projector/parties/insert: inserts the parties of the transactions that begin in a page of the log; the caller checks
-- the number of rows
insert into parties_v1 (shard, id, platform, platform_n, sender, sender_n, receiver, receiver_n, from_node, from_n,
                        to_node, to_n)
select h.shard, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::bigint[]), unnest($5::uuid[]), unnest($6::bigint[]),
       unnest($7::uuid[]), unnest($8::bigint[]), unnest($9::uuid[]), unnest($10::bigint[]), unnest($11::uuid[]),
       unnest($12::bigint[])
  from shard h
 where h.shard = $1
