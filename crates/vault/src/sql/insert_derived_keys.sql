-- vault/insert_derived_keys: inserts the wrapped keys of hashes and tokens; an existing key stays unchanged
insert into vault.derived_key (name, wrapped, master, created_at)
select x.name, x.wrapped, $3, $4
from unnest($1::text[], $2::bytea[]) as x (name, wrapped)
on conflict (name) do nothing
