-- projector/rebuild/are_there: true if all indexes with these names exist; also true for an empty list
select coalesce(bool_and(to_regclass(x.name) is not null), true) from unnest($1::text[]) as x (name)
