-- projector/rebuild/are_there: whether all indexes of these names are there; so it is if there are no names
select coalesce(bool_and(to_regclass(x.name) is not null), true) from unnest($1::text[]) as x (name)
