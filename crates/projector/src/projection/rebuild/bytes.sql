-- projector/rebuild/bytes: how much room tables take, with their indexes
select coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint
  from unnest($1::text[]) name
