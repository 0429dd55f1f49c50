-- vault/read_derived_keys: all wrapped keys of hashes and tokens
select d.name, d.wrapped, d.master
from vault.derived_key d
order by d.name
