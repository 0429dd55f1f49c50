-- projector/rebuild/bytes: size of tables with their indexes, in bytes
select coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint
  from unnest($1::text[]) name
