-- vault/update_derived_key: the same key under another master key, unless somebody else was first
update vault.derived_key d
set wrapped = $3, master = $4
where d.name = $1 and d.wrapped = $2
